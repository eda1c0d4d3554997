"""The table screen: tablets and readers at the tables, their pairing, badges at the table, and their signed queues."""
