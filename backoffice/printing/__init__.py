"""Documents on paper and workbooks: page frame, fonts, charts, legal terms."""
