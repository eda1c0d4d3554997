"""The installation: the parts that a process of this house works with, and the programs that make it up."""
