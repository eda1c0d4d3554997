"""The server at the house's one address. It takes dealers' actions, and passes all other requests on."""
