"""Running: the parts of a house as processes, watched and restarted, and the report of each.

It can keep any program running and does not know the house's programs:
`backoffice/installation/processes_in_start_order.py` lists those.
"""
