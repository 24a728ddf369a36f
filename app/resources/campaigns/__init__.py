"""How campaigns, their changes, forecasts and numbers look in JSON."""
