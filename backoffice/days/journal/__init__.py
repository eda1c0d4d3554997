"""The journal of a gaming day as rows, as a workbook, and as a file for Beancount."""
