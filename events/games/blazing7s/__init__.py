"""Blazing 7's, the progressive on a blackjack table's first three cards."""
