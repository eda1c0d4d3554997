"""The random draw of tables and times to inspect: committed before, provable after."""
