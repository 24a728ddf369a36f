"""Corrections of the profile: what they would change, what is written again, and how they are taken back."""
