"""The demo's house through many gaming days, at the desk's own speed: `nights` plays one after another."""
