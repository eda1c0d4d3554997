"""Commands that only a checkout has, `./manage.py bench` and `soak`: the product itself imports none of the tests."""
