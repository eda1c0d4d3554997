"""Address of the live stream of wall displays."""

PATH = "/live/alerts"
