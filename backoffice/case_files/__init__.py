"""Cases, decrypted for a person who may read them."""
