"""The settings of a house, read from the environment."""
