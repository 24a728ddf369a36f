"""Create, validate, enrol, revise, preview and forecast a campaign, and its statistics."""
