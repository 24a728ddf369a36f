"""Changes on the way: what new ones mean for a person, and who takes over from a sender who leaves."""
