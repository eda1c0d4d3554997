"""What can be asked of a table, or reported from it, in every game. Amounts in minor units."""
