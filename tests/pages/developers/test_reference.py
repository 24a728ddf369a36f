"""The reference: every call of the published document, readable and ready to copy."""

import html
import re
import shlex

from app.api.framework.declarations import ENDPOINTS
from app.domain.webhooks.events import EVENTS
from app.models.workspaces import Workspace
from tests.clients import Client
from tests.pages.conftest import Web


def text_of(page: str) -> str:
    """What stands on a page."""
    return html.unescape(re.sub(r"<[^>]+>", "", page))


def test_every_operation_is_in_the_reference(web: Web) -> None:
    """Every call is there, with its address, its scope, its fields and its refusals."""
    page = web.get("/developers/reference")
    assert page.status_code == 200
    for one in ENDPOINTS:
        assert f'id="{one.name}"' in page.text
        assert f'href="#{one.name}"' in page.text
        assert one.scope is None or f"<code>{one.scope}</code>" in page.text
    assert "Scope <code>events:read</code> or <code>webhooks:read</code>" in page.text
    shown = text_of(page.text)
    for words in ("sequence[].delay.unit", "Idempotency-Key", "conversation_changed", "Response fields"):
        assert words in shown


def test_ids_are_unique_and_nothing_unescaped_is_shown(web: Web) -> None:
    """The browser finds each call by its name."""
    page = web.get("/developers/reference").text
    ids = re.findall(r'\bid="([^"]*)"', page)
    assert len(ids) == len(set(ids))
    assert "" not in ids
    assert "None" not in text_of(page)


def test_every_call_can_be_copied_into_a_terminal(web: Web, acme: Workspace) -> None:
    """A shell reads each curl as one command for that address."""
    page = web.get("/developers/reference").text
    found = re.findall(r'aria-label="curl"><code>(.*?)</code>', page, re.DOTALL)
    assert len(found) == len(ENDPOINTS)
    for text in found:
        words = shlex.split(html.unescape(text).replace("\\\n", " "))
        assert words[0] == "curl"
        assert any(word.startswith("http://localhost/v1/") for word in words)
        assert "Authorization: Bearer $OVERTURE_KEY" in words


def test_rules_are_said_in_words(web: Web) -> None:
    """How long, how many, and in which ways fields fit together."""
    shown = text_of(web.get("/developers/reference").text)
    assert "jobChange: with fullName and companyName." in shown
    assert "Up to 8,760 hours; or up to 365 days." in shown
    assert "Not blank; at most 200 characters." in shown
    assert "9223372036854775807" not in shown


def test_events_are_there_as_they_are_sent(web: Web) -> None:
    """Each kind with its fields and an example, below the headers that all of them have."""
    page = web.get("/developers/reference").text
    for kind in EVENTS:
        assert f'id="on_{kind}"' in page
        assert f'href="#on_{kind}"' in page
    assert "webhook-signature" in page
    assert "data.progress.messagesSent" in text_of(page)


def test_the_reference_asks_for_a_sign_in(client: Client) -> None:
    """The document itself is public."""
    assert client.get("/developers/reference").status_code == 303
    assert client.get("/v1/openapi.json").status_code == 200
