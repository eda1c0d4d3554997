"""People at the entrance: how a person signs in, stays signed in, and acts under their own name.

Badges and device keys of terminals are no concern of this package: they stand in `backoffice/people/credentials.py`.
"""
