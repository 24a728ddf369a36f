"""Transfer: a workspace as one file, out of one installation and into another."""
