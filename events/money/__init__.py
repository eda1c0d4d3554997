"""Money of the house: its currency, posting rules of the journal, and imported months before the first event."""
