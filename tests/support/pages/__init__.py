"""People, browsers and pages for tests."""
