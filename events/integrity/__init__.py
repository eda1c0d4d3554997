"""Integrity: Merkle tree heads over the positions of the store (RFC 9162), signed with Ed25519 and published.

`merkle.py` is the tree and its proofs, `signed_head_format.py` the content of a head,
`signed_head_stores.py` the store of heads, and `head_signing.py` makes the next one. `audit.py` recomputes
everything, with `progressive_recount.py` for the sums of the progressives. `witness_file_reader.py` reads the file of a
witness outside the house. `award_certificate.py` packs the proof of one jackpot award.
"""
