"""Making the application, and what a process has once however many applications it makes."""

from collections.abc import Callable

import pytest
from flask import Flask, render_template_string
from jinja2 import UndefinedError

from app import create_app, follow
from app.config import SETTINGS
from app.core.crypto import keyring
from app.core.installation import address, has_unknown_proxy
from app.domain.installation import backup


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


@pytest.mark.parametrize("development", [False, True])
def test_a_page_that_lacks_something_shows_the_rest_but_fails_in_development(app: Flask, development: bool) -> None:
    settings = {one.name: app.config[one.name] for one in SETTINGS} | {"OVERTURE_DEVELOPMENT": development}
    made = create_app(**settings)
    follow(app.config)
    with made.test_request_context():
        if development:
            with pytest.raises(UndefinedError, match="'name' is undefined"):
                render_template_string("Hello {{ name }}!")
        else:
            assert render_template_string("Hello {{ name }}!") == "Hello !"
