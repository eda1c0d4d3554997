"""Live streams: a small process of its own, which tells pages and signs what the read models say now (ADR 19)."""
