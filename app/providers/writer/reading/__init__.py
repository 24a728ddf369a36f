"""What a website or its owner says of a business: its name, what it sells, to whom, and the words that say so."""
