"""What lies ahead: a campaign's forecast against what happened, what would change it, and the fortnight of all."""
