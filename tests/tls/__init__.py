"""Proxies with TLS in front of a house, and browsers in another network that trust an authority of the tests' own."""
