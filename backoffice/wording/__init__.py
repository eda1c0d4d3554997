"""Words and figures: codes, labels, sentences, money, dates, charts."""
