"""Actions of a table in every game: requests and reports. Amounts in minor units."""
