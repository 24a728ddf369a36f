"""Exclusions: who must not be contacted, and the gate that every send passes."""
