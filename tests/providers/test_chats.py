"""Alerts in each chat: the exact bodies on a real socket, and what the documented answers mean."""

import json
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import pytest

from app.ports import LoggedOut, Notice, ProviderError, Refused, Throttled, Unreachable
from app.providers.chats import WebhookChats
from app.providers.http.webhook_client import WebhookHttpClient
from tests.providers.failing import differs, failure_of
from tests.support.receivers import Answer, Receiver

NOTICE = Notice("news", "News", ("Ada <@U1> & *Bob* wrote: “[a](http://b) `c`”",), "/")
ESCAPED = "Ada &lt;@U1&gt; &amp; *Bob* wrote: “[a](http://b) `c`”"
FLOW = "/workflows/0a1b/triggers/manual/paths/invoke?api-version=2016-06-01&sig=secret"
ADDRESSES = {
    "slack": "hooks.slack.com/services/T0/B0/secret",
    "discord": "discord.com/api/webhooks/123/secret",
    "teams": "prod-01.westeurope.logic.azure.com" + FLOW,
    "teams_connector": "acme.webhook.office.com/webhookb2/1@2/IncomingWebhook/3/4",
    "google_chat": "chat.googleapis.com/v1/spaces/S/messages?key=k&token=t",
    "generic": "chat.acme.example/hook",
}
ADAPTIVE = "application/vnd.microsoft.card.adaptive"
CARD = {
    "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
    "type": "AdaptiveCard",
    "version": "1.4",
    "body": [
        {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": "News", "weight": "Bolder"}]},
        {"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": NOTICE.lines[0]}]},
    ],
    "actions": [{"type": "Action.OpenUrl", "title": "Open Overture", "url": "https://o.example/"}],
}
TARGET = {"os": "default", "uri": "https://o.example/"}
BODIES: dict[str, dict[str, Any]] = {
    "slack": {"text": f"News\n{ESCAPED}\nhttps://o.example/", "mrkdwn": False},
    "discord": {
        "content": ("News\nAda \\<\\@U1\\> & \\*Bob\\* wrote\\: “\\[a\\]\\(http\\://b\\) \\`c\\`”\nhttps://o.example/"),
        "allowed_mentions": {"parse": []},
    },
    "teams": {"type": "message", "attachments": [{"contentType": ADAPTIVE, "contentUrl": None, "content": CARD}]},
    "teams_connector": {
        "@type": "MessageCard",
        "@context": "https://schema.org/extensions",
        "summary": "News",
        "title": "News",
        "sections": [{"text": ESCAPED, "markdown": False}],
        "potentialAction": [{"@type": "OpenUri", "name": "Open Overture", "targets": [TARGET]}],
    },
    "google_chat": {"text": "News\nAda ‹@U1› & ∗Bob∗ wrote: “[a](http://b) ˋcˋ”\nhttps://o.example/"},
    "generic": {"text": f"News\n{NOTICE.lines[0]}", "event": "news", "url": "https://o.example/"},
}
ACCEPTED: dict[str, Answer] = {
    "slack": (200, {}, b"ok"),
    "discord": (200, {}, b'{"id": "1", "type": 0}'),
    "teams": (202, {}, b""),
    "teams_connector": (200, {}, b"1"),
    "google_chat": (200, {}, b'{"name": "spaces/S/messages/M"}'),
    "generic": (204, {}, b""),
}
GOOGLE = b'{"error": {"code": %d, "message": "%s", "status": "%s"}}'
OFFICE = (
    b"Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error %d with ContextId tcid=0"
)
BAD: list[tuple[str, Answer, type[ProviderError], str]] = [
    ("slack", (404, {}, b"no_service"), LoggedOut, "removed"),
    ("slack", (404, {}, b"channel_not_found"), LoggedOut, "channel"),
    ("slack", (410, {}, b"channel_is_archived"), LoggedOut, "archived"),
    ("slack", (403, {}, b"action_prohibited"), LoggedOut, "administrator"),
    ("slack", (403, {}, b"invalid_token"), LoggedOut, "no longer valid"),
    ("slack", (400, {}, b"invalid_payload"), Refused, "rejected the notification"),
    ("slack", (500, {}, b"rollup_error"), Unreachable, "has a problem"),
    ("slack", (200, {}, b"<html>sign in</html>"), Unreachable, "couldn't read"),
    ("slack", (200, {}, b"[" * 5000), Unreachable, "couldn't read"),
    ("discord", (404, {}, b'{"message": "Unknown Webhook", "code": 10015}'), LoggedOut, "deleted"),
    ("discord", (401, {}, b'{"message": "Invalid Webhook Token", "code": 50027}'), LoggedOut, "deleted"),
    ("discord", (400, {}, b'{"message": "Invalid Form Body", "code": 50035}'), Refused, "400"),
    ("discord", (502, {}, b""), Unreachable, "502"),
    ("teams", (400, {}, b'{"error": {"code": "TriggerInputSchemaMismatch"}}'), Refused, "400"),
    ("teams", (401, {}, b'{"error": {"code": "DirectApiAuthorizationRequired"}}'), LoggedOut, "401"),
    ("teams", (404, {}, b'{"error": {"code": "WorkflowNotFound"}}'), LoggedOut, "404"),
    ("teams_connector", (200, {}, OFFICE % 403), LoggedOut, "403"),
    ("teams_connector", (200, {}, OFFICE % 413), Refused, "413"),
    ("teams_connector", (200, {}, b"System.Net.Http.HttpRequestException"), Unreachable, "502"),
    ("google_chat", (400, {}, GOOGLE % (400, b"API key not valid.", b"INVALID_ARGUMENT")), LoggedOut, "key"),
    ("google_chat", (400, {}, GOOGLE % (400, b"Unknown name", b"INVALID_ARGUMENT")), Refused, "400"),
    ("google_chat", (403, {}, GOOGLE % (403, b"no permission", b"PERMISSION_DENIED")), LoggedOut, "403"),
    ("generic", (302, {"location": "https://elsewhere.example"}, b""), LoggedOut, "redirected"),
    ("generic", (503, {}, b""), Unreachable, "503"),
]
RESTS: list[tuple[str, Answer, int]] = [
    ("slack", (429, {"retry-after": "30"}, b"rate_limited"), 30),
    ("discord", (429, {"retry-after": "1"}, b'{"message": "limited", "retry_after": 2.4, "global": false}'), 3),
    ("teams", (429, {"retry-after": "12"}, b""), 12),
    ("teams_connector", (200, {}, OFFICE % 429), 60),
    ("google_chat", (429, {}, GOOGLE % (429, b"quota", b"RESOURCE_EXHAUSTED")), 60),
]


@pytest.fixture
def chats() -> WebhookChats:
    client = WebhookHttpClient(allow_private=True, resolve=lambda host, port: [("127.0.0.1", port)])
    return WebhookChats(client, "https://o.example")


def at(receiver: Receiver, kind: str) -> str:
    """The kind's address, which leads to the receiver."""
    host, _, rest = ADDRESSES[kind].partition("/")
    return f"http://{host}:{urlsplit(receiver.url).port}/{rest}"


def test_each_chat_gets_the_body_it_documents(chats: WebhookChats, receiver: Receiver) -> None:
    for kind in ADDRESSES:
        url = at(receiver, kind)
        receiver.answer = lambda request, kind=kind: ACCEPTED[kind]
        assert chats.objection(url) == ""
        assert chats.room(url).name == kind
        chats.post(url, NOTICE)
        request = receiver.requests[-1]
        assert json.loads(request.body) == BODIES[kind]
        assert request.headers["content-type"] == "application/json; charset=utf-8"
        assert request.path.endswith("wait=true") == (kind == "discord")


def test_each_answer_of_a_chat_has_its_meaning(chats: WebhookChats, receiver: Receiver) -> None:
    """One of the five failures, in a sentence without the address; a chat that wants rest says how long."""
    wrong = []
    for kind, answer, failure, said in [*BAD, *((kind, answer, Throttled, wait) for kind, answer, wait in RESTS)]:
        receiver.answer = lambda request, answer=answer: answer
        found = failure_of(partial(chats.post, at(receiver, kind), NOTICE))
        right = (
            found.retry_after == said if isinstance(found, Throttled) else str(said) in str(found and found.sentence)
        )
        if type(found) is not failure or differs(found, failure) or not right or "secret" in str(found):
            wrong.append((kind, answer, found))
    assert wrong == []


def test_an_address_that_cannot_be_one_is_refused() -> None:
    for url, word in (
        ("http://hooks.slack.com/services/T/B/x", "https"),
        ("https://hooks.slack.com/", "Slack"),
        ("https://discord.com/api/webhooks/1/x/slack", "Discord"),
        ("https://chat.googleapis.com/v1/spaces/S", "Google"),
        ("https://10.0.0.1/hook", "public"),
        ("https://user:secret@hooks.slack.com/services/T/B/x", "password"),
    ):
        assert word in WebhookChats(WebhookHttpClient()).objection(url)


def test_only_the_host_tells_the_kind() -> None:
    """No one is Slack by ending or beginning like it; unknown hosts can be left out."""
    chats, strict = WebhookChats(WebhookHttpClient()), WebhookChats(WebhookHttpClient(), known_only=True)
    for host in ("hooks.slack.com.evil.example", "evil.example/hooks.slack.com", "xhooks.slack.com", "hooks_slack.com"):
        assert chats.room(f"https://{host}/services/T/B/x").name == "generic"
    assert chats.room("https://HOOKS.slack.com./services/T/B/x").name == "slack"
    environment = "https://0a.1.environment.api.powerplatform.com:443/powerautomate/automations/direct"
    assert chats.room(environment + FLOW).name == "teams"
    assert strict.objection(environment + FLOW) == ""
    assert strict.objection("https://chat.acme.example/hook")
    assert chats.objection("https://chat.acme.example/hook") == ""


def test_what_is_too_long_is_counted(chats: WebhookChats, receiver: Receiver) -> None:
    """Whole lines as far as they fit, how many are left, and the link."""
    receiver.answer = lambda request: ACCEPTED["discord"]
    chats.post(at(receiver, "discord"), Notice("news", "News", ("ab*" * 100,) * 30, "/"))
    content = json.loads(receiver.requests[0].body)["content"]
    assert len(content) <= 2000
    lines = content.splitlines()
    assert lines[-1] == "https://o.example/"
    assert lines[-2] == f"… and {30 - (len(lines) - 3)} more."
