"""Variants: several texts of one step, which of them a person gets, and which of them wins."""
