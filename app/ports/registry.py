"""A registry for one adapter."""

from typing import Generic, TypeVar

A = TypeVar("A")


class Port(Generic[A]):
    """Holds the adapter of one protocol: `writer.connect(adapter)` once, `writer()` wherever it is needed."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._adapter: A | None = None

    def connect(self, adapter: A) -> None:
        """Connect the adapter."""
        self._adapter = adapter

    def disconnect(self) -> None:
        """Disconnect the adapter."""
        self._adapter = None

    @property
    def connected(self) -> bool:
        """Return whether there is an adapter."""
        return self._adapter is not None

    def __call__(self) -> A:
        """Return the adapter; raise RuntimeError when none is connected."""
        if self._adapter is None:
            raise RuntimeError(f"Nothing is connected to the port {self.name}.")
        return self._adapter
