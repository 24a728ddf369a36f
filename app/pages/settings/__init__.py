"""Workspace, profile, team, services, credits, audit log, sign-in."""
