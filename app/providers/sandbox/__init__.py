"""The sandbox network: a deterministic population behind the same port as the real networks."""

from app.providers.sandbox.network import SandboxNetwork

__all__ = ["SandboxNetwork"]
