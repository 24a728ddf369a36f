"""How the workspace, its settings, keys and members look in JSON."""
