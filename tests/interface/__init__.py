"""The interface asked whatever its document allows, and whatever it does not: each answer must be as documented."""
