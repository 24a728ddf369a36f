"""The workspace as a whole: its pipeline, its fortnight, and forecasts against what happened."""
