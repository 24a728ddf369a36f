"""Research: what is known of one person before they are written to, and the opener that rests on it."""
