"""The reference: every call of the published document, readable and ready to copy."""

import html
import re
import shlex

from app.api.framework.declarations import ENDPOINTS
from app.domain.webhooks.events import EVENTS
from tests.pages.conftest import Web, must_have


def text_of(page: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", page))


def pages_of_the_reference(web: Web) -> dict[str, str]:
    """All of them by their address: the basics, each part, and each call and event of it."""
    found = {"/developers/reference": web.get("/developers/reference", htmx=True).text}
    for _ in range(2):
        for page in list(found.values()):
            for address in re.findall(r'href="(/developers/reference/[\w.-]+)"', page):
                found[address] = found.get(address) or web.get(address, htmx=True).text
    return found


def test_every_call_and_event_is_in_the_reference_and_can_be_copied(web: Web) -> None:
    pages = pages_of_the_reference(web)
    for one in ENDPOINTS:
        page = pages[f"/developers/reference/{one.name}"]
        assert f'id="{one.name}"' in page
        assert one.scope is None or f"<code>{one.scope}</code>" in page
    assert "Scope <code>events:read</code> or <code>webhooks:read</code>" in "".join(pages.values())
    shown = text_of("".join(pages.values()))
    must_have(shown, "sequence[].delay.unit", "Idempotency-Key", "conversation_changed", "Response fields")
    found = re.findall(r'aria-label="curl"><code>(.*?)</code>', "".join(pages.values()), re.DOTALL)
    assert "or null" in shown
    assert "null or null" not in shown  # the type of a field that may be empty is the other one
    assert len(found) == len(ENDPOINTS)
    for text in found:
        words = shlex.split(html.unescape(text).replace("\\\n", " "))
        assert words[0] == "curl"
        assert any(word.startswith("http://localhost/v1/") for word in words)
        assert "Authorization: Bearer $OVERTURE_KEY" in words
    for kind in EVENTS:
        must_have(pages[f"/developers/reference/on_{kind}"], f'id="on_{kind}"', "webhook-signature")
    assert any("data.progress.messagesSent" in text_of(page) for page in pages.values())
