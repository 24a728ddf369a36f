"""Unipile: social accounts behind the port of senders, their sign-in, and what it calls us with."""

from app.providers.unipile.hosted import UnipileSignIn
from app.providers.unipile.network import UnipileNetwork
from app.providers.unipile.service import UnipileService

__all__ = ["UnipileNetwork", "UnipileService", "UnipileSignIn"]
