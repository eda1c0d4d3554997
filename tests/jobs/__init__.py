"""The work of people in a real browser: with password and second factor, in every size, light and dark.

Each job is written once, in `jackpot_work.py`, `floor_work.py` and other modules. CI does every job in one of the six
settings (`tests/browser/test_jobs.py`). `make matrix` does each in all settings (`job_matrix.py`).
"""
