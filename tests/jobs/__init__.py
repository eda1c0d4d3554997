"""What people come to do, in a real browser: signed in by password and second factor, in every size, light and dark.

The jobs stand in `progressives.py` and `floor.py`, each once. CI does every job in one of the six settings
(`tests/browser/test_jobs.py`), `make matrix` each in all of them (`every.py`).
"""
