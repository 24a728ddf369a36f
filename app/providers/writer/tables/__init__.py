"""What the built-in writer knows of trades: tables, to be read and corrected by anyone."""
