"""Events of the cage and of the count room."""
