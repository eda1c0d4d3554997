"""The declarations of tables and floor. Their decisions read the cage, the accounts and the progressives."""
