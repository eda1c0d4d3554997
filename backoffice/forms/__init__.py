"""Forms by which people act: fields, the change before it is sent, the outcome."""
