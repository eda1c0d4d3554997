"""The Django project: settings, people and devices, the action interface, pages and live streams."""
