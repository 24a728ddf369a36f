"""Simulation: a campaign played through day by day, and the forecasts that are kept of it."""
