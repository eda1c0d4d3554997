"""The house's own: the settings on which figures depend, and the chips that it has issued. Stream PROPERTY/house."""
