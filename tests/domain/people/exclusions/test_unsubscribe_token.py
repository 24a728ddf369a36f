"""The token of an unsubscribe link: it opens what it was made for, for ever, and nothing else does."""

import pytest

from app.core.crypto import keyring
from app.domain.people.exclusions import unsubscribe_token

pytestmark = pytest.mark.usefixtures("app")


def test_a_token_names_workspace_person_and_address_and_is_the_same_every_time() -> None:
    """A second message carries the link of the first. An address may hold the separator in front of the @."""
    made = unsubscribe_token.token(7, 420, "ada@engine.example")
    assert unsubscribe_token.read(made) == (7, 420, "ada@engine.example")
    assert "ada" not in made
    assert unsubscribe_token.token(7, 420, "ada@engine.example") == made
    assert unsubscribe_token.token(8, 420, "ada@engine.example") != made
    assert unsubscribe_token.read(unsubscribe_token.token(1, 2, "a|b@x.example")) == (1, 2, "a|b@x.example")


def test_what_was_not_made_here_for_this_was_changed_or_is_none_is_refused() -> None:
    made = unsubscribe_token.token(7, 420, "ada@engine.example")
    changed = [made[:at] + ("A" if made[at] != "A" else "B") + made[at + 1 :] for at in (0, len(made) // 2)]
    other = keyring().enclose("invitation", b"7|420|ada@engine.example")
    for strange in ("", "x", "ä", "AAAA", "../..", "A" * 200, *changed, other):
        with pytest.raises(ValueError, match="didn't create this"):
            unsubscribe_token.read(strange)
