"""The reference: every call of the published document, readable and ready to copy."""

import html
import re
import shlex

import pytest

from app.api.framework.declarations import ENDPOINTS
from app.domain.webhooks.events import EVENTS
from tests.pages.conftest import Web
from tests.support.clients import Client


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
    """Every call has a page that others lead to, with its address, its scope, its fields and its refusals."""
    for one in ENDPOINTS:
        page = pages[f"/developers/reference/{one.name}"]
        assert f'id="{one.name}"' in page
        assert one.scope is None or f"<code>{one.scope}</code>" in page
    assert "Scope <code>events:read</code> or <code>webhooks:read</code>" in "".join(pages.values())
    shown = text_of("".join(pages.values()))
    for words in ("sequence[].delay.unit", "Idempotency-Key", "conversation_changed", "Response fields"):
        assert words in shown


def test_no_page_of_the_reference_is_endless(pages: dict[str, str]) -> None:
    """A browser lays out one call, not all of them."""
    sizes = {address: page.count("<") for address, page in pages.items()}
    assert {address: size for address, size in sizes.items() if size > 4_000} == {}


def test_a_part_that_does_not_exist_is_not_found(web: Web) -> None:
    """As any other page."""
    assert web.get("/developers/reference/nothing").status_code == 404


def test_ids_are_unique_and_nothing_unescaped_is_shown(web: Web) -> None:
    """The browser finds each call by its name."""
    page = web.get("/developers/reference/campaigns.create").text
    ids = re.findall(r'\bid="([^"]*)"', page)
    assert len(ids) == len(set(ids))
    assert "" not in ids
    assert "None" not in text_of(page)


def test_every_call_can_be_copied_into_a_terminal(pages: dict[str, str]) -> None:
    """A shell reads each curl as one command for that address."""
    found = re.findall(r'aria-label="curl"><code>(.*?)</code>', "".join(pages.values()), re.DOTALL)
    assert len(found) == len(ENDPOINTS)
    for text in found:
        words = shlex.split(html.unescape(text).replace("\\\n", " "))
        assert words[0] == "curl"
        assert any(word.startswith("http://localhost/v1/") for word in words)
        assert "Authorization: Bearer $OVERTURE_KEY" in words


def test_rules_are_said_in_words(pages: dict[str, str]) -> None:
    """How long, how many, and in which ways fields fit together."""
    shown = text_of("".join(pages.values()))
    assert "jobChange: with fullName and companyName." in shown
    assert "Up to 8,760 hours; or up to 365 days." in shown
    assert "Not blank; at most 200 characters." in shown
    assert "9223372036854775807" not in shown


def test_events_are_there_as_they_are_sent(web: Web) -> None:
    """Each kind with its fields and an example, below the headers that all of them have."""
    pages = {kind: web.get(f"/developers/reference/on_{kind}").text for kind in EVENTS}
    for kind, page in pages.items():
        assert f'id="on_{kind}"' in page
        assert "webhook-signature" in page
    assert any("data.progress.messagesSent" in text_of(page) for page in pages.values())


def test_the_reference_asks_for_a_sign_in(client: Client) -> None:
    """The document itself is public."""
    assert client.get("/developers/reference").status_code == 303
    assert client.get("/v1/openapi.json").status_code == 200
