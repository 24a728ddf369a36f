"""Signals that anyone may read: job boards, filings, the press, and what a home page is made of."""

from app.providers.public_signals.source import PublicSignals
from app.providers.public_signals.web import Public

__all__ = ["Public", "PublicSignals"]
