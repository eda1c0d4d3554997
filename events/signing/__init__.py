"""The house's key, which signs its heads and seals its snapshots, and the signer's memory of its last head."""
