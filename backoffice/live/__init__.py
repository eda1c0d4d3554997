"""Live streams: a small process of its own, which sends the present read models to pages and signs (ADR 19)."""
