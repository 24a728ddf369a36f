"""Forecasts: of one campaign, of all, compared with actual results; calendar and pipeline."""
