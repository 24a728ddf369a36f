"""The reference: every call of the published document, readable and ready to copy."""

import html
import re
import shlex

import pytest

from app.api.framework.declarations import ENDPOINTS
from app.domain.webhooks.events import EVENTS
from tests.pages.conftest import Web, must_have


def text_of(page: str) -> str:
    """What stands on a page."""
    return html.unescape(re.sub(r"<[^>]+>", "", page))


@pytest.fixture(scope="module")
def read() -> dict[str, str]:
    """Pages that a test has read, for the next one: they are the same for everyone."""
    return {}


@pytest.fixture
def pages(web: Web, read: dict[str, str]) -> dict[str, str]:
    """All pages of the reference by their address: the basics, each part, and each call and event of it."""
    found = read
    if found:
        return found
    found["/developers/reference"] = web.get("/developers/reference").text
    for _ in range(2):
        for page in list(found.values()):
            for address in re.findall(r'href="(/developers/reference/[\w.-]+)"', page):
                found[address] = found.get(address) or web.get(address).text
    return found


def test_every_operation_is_in_the_reference(pages: dict[str, str]) -> None:
    for one in ENDPOINTS:
        page = pages[f"/developers/reference/{one.name}"]
        assert f'id="{one.name}"' in page
        assert one.scope is None or f"<code>{one.scope}</code>" in page
    assert "Scope <code>events:read</code> or <code>webhooks:read</code>" in "".join(pages.values())
    shown = text_of("".join(pages.values()))
    must_have(shown, "sequence[].delay.unit", "Idempotency-Key", "conversation_changed", "Response fields")


def test_every_call_can_be_copied_into_a_terminal(pages: dict[str, str]) -> None:
    found = re.findall(r'aria-label="curl"><code>(.*?)</code>', "".join(pages.values()), re.DOTALL)
    assert len(found) == len(ENDPOINTS)
    for text in found:
        words = shlex.split(html.unescape(text).replace("\\\n", " "))
        assert words[0] == "curl"
        assert any(word.startswith("http://localhost/v1/") for word in words)
        assert "Authorization: Bearer $OVERTURE_KEY" in words


def test_events_are_there_as_they_are_sent(web: Web) -> None:
    pages = {kind: web.get(f"/developers/reference/on_{kind}").text for kind in EVENTS}
    for kind, page in pages.items():
        assert f'id="on_{kind}"' in page
        assert "webhook-signature" in page
    assert any("data.progress.messagesSent" in text_of(page) for page in pages.values())
