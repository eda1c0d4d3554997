"""Structs of each page's contents; the API's endpoints answer with the same ones."""
