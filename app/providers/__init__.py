"""The only code that leaves the machine. `build` joins each port to its adapter."""

from typing import Any

from app import ports
from app.providers.http import HttpCourier
from app.providers.sandbox import SandboxNetwork


def build(settings: dict[str, Any]) -> None:
    """Every port has an adapter."""
    ports.connect(
        {"sandbox": SandboxNetwork()},
        HttpCourier(allow_private=settings["OVERTURE_ALLOW_PRIVATE_NETWORK"]),
    )
