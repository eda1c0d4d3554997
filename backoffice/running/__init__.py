"""Running: the parts of a house as processes, watched and restarted, and what each says of itself.

It knows how to keep any program running and nothing of what our programs do: `backoffice/installation/programs.py`
lists those.
"""
