"""Days played into a house that runs, while all that can go wrong with it does; `./manage.py soak --running`."""
