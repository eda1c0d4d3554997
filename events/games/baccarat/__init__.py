"""Punto banco baccarat."""
