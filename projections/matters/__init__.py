"""What people have to see to at a progressive."""
