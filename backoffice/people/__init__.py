"""People at the sign-in: how a person signs in, stays signed in, and acts under their own name.

Badges and device keys of terminals are in `backoffice/people/badge_and_key_authentication.py`.
"""
