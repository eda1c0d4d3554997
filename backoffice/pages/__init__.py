"""The pages: read-only views over the read models. Nothing here writes, and nothing here decides."""
