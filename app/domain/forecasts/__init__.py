"""What forecasts are made from and what becomes of them: measured responses, kept forecasts, and what happened."""
