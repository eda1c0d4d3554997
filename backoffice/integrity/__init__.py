"""Integrity on the pages: verification, issued documents, the access log."""
