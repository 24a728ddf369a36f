"""The engines: what runs the units that are due. The rows say what is due; an engine only looks and runs."""
