"""Controls of the house over its money: slips, discrepancies, facts that are refused."""
