"""Alerts in each chat: the exact bodies on a real socket, and what the documented answers mean."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from app.ports import LoggedOut, Notice, ProviderError, Refused, Throttled, Unreachable
from app.providers.chats import WebhookChats
from app.providers.http.webhook_client import WebhookHttpClient
from tests.support.receivers import Answer, Receiver

NOTICE = Notice("news", "News", ("Ada <@U1> & *Bob* wrote: “[a](http://b) `c`”",), "/")
FLOW = "/workflows/0a1b/triggers/manual/paths/invoke?api-version=2016-06-01&sig=secret"
ADDRESSES = {
    "slack": "hooks.slack.com/services/T0/B0/secret",
    "discord": "discord.com/api/webhooks/123/secret",
    "teams": "prod-01.westeurope.logic.azure.com" + FLOW,
    "teams_connector": "acme.webhook.office.com/webhookb2/1@2/IncomingWebhook/3/4",
    "google_chat": "chat.googleapis.com/v1/spaces/S/messages?key=k&token=t",
    "generic": "chat.acme.example/hook",
}
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
BODIES: dict[str, dict[str, Any]] = {
    "slack": {
        "text": "News\nAda &lt;@U1&gt; &amp; *Bob* wrote: “[a](http://b) `c`”\nhttps://o.example/",
        "mrkdwn": False,
    },
    "discord": {
        "content": ("News\nAda \\<\\@U1\\> & \\*Bob\\* wrote\\: “\\[a\\]\\(http\\://b\\) \\`c\\`”\nhttps://o.example/"),
        "allowed_mentions": {"parse": []},
    },
    "teams": {
        "type": "message",
        "attachments": [
            {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": None, "content": CARD}
        ],
    },
    "teams_connector": {
        "@type": "MessageCard",
        "@context": "https://schema.org/extensions",
        "summary": "News",
        "title": "News",
        "sections": [{"text": "Ada &lt;@U1&gt; &amp; *Bob* wrote: “[a](http://b) `c`”", "markdown": False}],
        "potentialAction": [
            {
                "@type": "OpenUri",
                "name": "Open Overture",
                "targets": [{"os": "default", "uri": "https://o.example/"}],
            }
        ],
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
    ("slack", (403, {}, b"invalid_token"), LoggedOut, "not valid"),
    ("slack", (400, {}, b"invalid_payload"), Refused, "rejected the alert"),
    ("slack", (500, {}, b"rollup_error"), Unreachable, "has a problem"),
    ("slack", (200, {}, b"<html>sign in</html>"), Unreachable, "could not be read"),
    ("slack", (200, {}, b"[" * 5000), Unreachable, "could not be read"),
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
def receiver() -> Iterator[Receiver]:
    """Whoever is asked for, this machine answers."""
    receiver = Receiver()
    yield receiver
    receiver.stop()


@pytest.fixture
def chats() -> WebhookChats:
    """Every host leads to this machine."""
    client = WebhookHttpClient(allow_private=True, resolve=lambda host, port: [("127.0.0.1", port)])
    return WebhookChats(client, "https://o.example")


def at(receiver: Receiver, kind: str) -> str:
    """The kind's address, which leads to the receiver."""
    host, _, rest = ADDRESSES[kind].partition("/")
    return f"http://{host}:{urlsplit(receiver.url).port}/{rest}"


@pytest.mark.parametrize("kind", ADDRESSES)
def test_each_chat_gets_the_body_it_documents(chats: WebhookChats, receiver: Receiver, kind: str) -> None:
    """The kind is told by the host; the body is the one that chat documents, with nothing of ours in its markup."""
    url = at(receiver, kind)
    receiver.answer = lambda request: ACCEPTED[kind]
    assert chats.objection(url) == ""
    assert chats.room(url).name == kind
    chats.post(url, NOTICE)
    (request,) = receiver.requests
    assert json.loads(request.body) == BODIES[kind]
    assert request.headers["content-type"] == "application/json; charset=utf-8"
    assert request.path.endswith("wait=true") == (kind == "discord")


@pytest.mark.parametrize(("kind", "answer", "failure", "word"), BAD)
def test_what_a_refusal_means(
    chats: WebhookChats, receiver: Receiver, kind: str, answer: Answer, failure: type[ProviderError], word: str
) -> None:
    """One of the five failures, with a sentence that never holds the address."""
    receiver.answer = lambda request: answer
    with pytest.raises(failure) as raised:
        chats.post(at(receiver, kind), NOTICE)
    assert type(raised.value) is failure
    assert word in raised.value.sentence
    assert "secret" not in raised.value.sentence


@pytest.mark.parametrize(("kind", "answer", "wait"), RESTS)
def test_a_chat_that_wants_rest_says_how_long(
    chats: WebhookChats, receiver: Receiver, kind: str, answer: Answer, wait: int
) -> None:
    """In a header, with a fraction in the body, or in a sentence."""
    receiver.answer = lambda request: answer
    with pytest.raises(Throttled) as raised:
        chats.post(at(receiver, kind), NOTICE)
    assert raised.value.retry_after == wait


@pytest.mark.parametrize(
    ("url", "word"),
    [
        ("http://hooks.slack.com/services/T/B/x", "https"),
        ("https://hooks.slack.com/", "Slack"),
        ("https://discord.com/api/webhooks/1/x/slack", "Discord"),
        ("https://chat.googleapis.com/v1/spaces/S", "Google"),
        ("https://10.0.0.1/hook", "public"),
        ("https://user:secret@hooks.slack.com/services/T/B/x", "password"),
    ],
)
def test_an_address_that_cannot_be_one_is_refused(url: str, word: str) -> None:
    """With a sentence, before anything is asked."""
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
