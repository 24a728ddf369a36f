"""HTML and htmx: one file per area."""

from flask import Flask


def register(app: Flask) -> None:
    """Every page answers."""
