"""Houses and gaming days for tests, from a small one to an evening with everything."""
