"""What was done, and counted: usage, invite health, campaign counters, recount, activity."""
