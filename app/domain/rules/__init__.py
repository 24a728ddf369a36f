"""Pure decisions, without session or network: step kinds, planner, limits, hours, templates, replies."""
