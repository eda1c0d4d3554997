"""Blackjack with the Trilux bonus bet."""
