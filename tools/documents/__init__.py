"""Documents generated from the very types and functions that run, and `./manage.py docs`, which writes them."""
