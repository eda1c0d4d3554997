"""Cases of surveillance: what an investigator collects, encrypted with a key of its own.

Events of a case say its id, their type and a digest; all texts, people and references are in ciphertext. Access is by
role and by case, and never for the people whom the case is about.
"""
