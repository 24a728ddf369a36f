"""`/v1`: one file per resource group, each endpoint one declaration."""

from flask import Flask


def register(app: Flask) -> None:
    """Every endpoint answers."""
