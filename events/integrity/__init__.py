"""Integrity: Merkle tree heads over the positions of the store (RFC 9162), signed with Ed25519 and published.

`merkle.py` is the tree and its proofs, `heads.py` what a head says, `head_store.py` where heads are kept, `publish.py`
makes the next one, `audit.py` recomputes everything, with `recount.py` for the sums of the progressives,
`witness_checks.py` reads what a witness outside the house has kept, `certificate.py` packs the proof of one jackpot
award.
"""
