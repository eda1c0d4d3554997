"""The journal of a gaming day as text, as sheets, and as a file for Beancount."""
