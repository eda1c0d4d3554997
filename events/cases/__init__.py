"""Cases of surveillance: an investigator's collection, encrypted with a key of its own.

Events of a case have its id, their type and a digest; all texts, people and references are in ciphertext. Access is by
role and by case, and never for the subjects of the case.
"""
