"""Money of the house: its currency, posting rules of the journal, months before there were events."""
