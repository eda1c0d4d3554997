"""Gaming days on the pages: figures, checklist, discrepancies, reports, close."""
