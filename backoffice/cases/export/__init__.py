"""Export of a case: one archive that an outsider verifies without the house (`tools/verify_case.py`)."""
