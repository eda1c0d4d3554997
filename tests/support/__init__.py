"""Helpers of the tests: houses, evenings, people, servers, pages."""
