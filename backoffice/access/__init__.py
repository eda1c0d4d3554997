"""The access log: refusals and issued documents, each with the person. In a database of its own, so that no dealer
waits.
"""
