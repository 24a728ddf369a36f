"""Use cases: each function does one thing a person could name, takes the workspace first and owns its transaction."""
