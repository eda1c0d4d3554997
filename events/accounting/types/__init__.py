"""What happens in the cage and in the count room."""
