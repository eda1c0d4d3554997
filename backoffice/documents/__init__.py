"""Documents generated from the very types and functions that run: schemas, OpenAPI, AsyncAPI, par sheets."""
