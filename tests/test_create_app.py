"""Making the application, and what a process has once however many applications it makes."""

from collections.abc import Callable

from flask import Flask

from app import follow
from app.core.crypto import keyring
from app.core.installation import address, has_unknown_proxy
from app.domain.operations import backup


def seen() -> list[object]:
    """What the settings of this process are told by."""
    return [keyring().sign("audit", b"a text"), address("/"), backup.plan(), has_unknown_proxy()]


def test_what_a_process_has_once_follows_the_newest_application_until_told_otherwise(
    app: Flask, make_app: Callable[..., Flask]
) -> None:
    before = seen()
    make_app(
        SECRET_KEY="another key for tests, also long enough",
        BASE_URL="https://other.example",
        OVERTURE_ALLOW_PRIVATE_NETWORK=False,
    )
    assert not [one for one, other in zip(before, seen(), strict=True) if one == other]
    follow(app.config)
    assert seen() == before
