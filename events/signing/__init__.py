"""The house's key: who signs its heads and seals its snapshots, and what the signer remembers of its last head."""
