"""Unipile: social accounts behind the port of senders, their sign-in, and what it calls us with."""

from app.providers.unipile.connection import UnipileService
from app.providers.unipile.hosted_sign_in import UnipileSignIn
from app.providers.unipile.network import UnipileNetwork
from app.providers.unipile.network_search import UnipileNetworkSearch

__all__ = ["UnipileNetwork", "UnipileNetworkSearch", "UnipileService", "UnipileSignIn"]
