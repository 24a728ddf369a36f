"""Which way outgoing calls take."""

from typing import Protocol


class Egress(Protocol):
    """The operator's choice of proxy."""

    @property
    def sentence(self) -> str:
        """Say which way calls go, and who refuses private addresses."""
