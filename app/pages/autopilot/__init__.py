"""The autopilot wizard, plays, sources, documents, alerts."""
