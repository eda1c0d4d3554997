"""Bookmarks of video: made from a step of a replay, an event or an alert, with cameras and times filled in."""
