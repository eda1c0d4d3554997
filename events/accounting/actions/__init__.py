"""What is asked of the cage and of the count room."""
