"""Slack, Discord, Microsoft Teams, Google Chat and whatever else takes JSON: each in its own form, and understood.

What people wrote to us is quoted in alerts, so nothing of it may format, mention or link: each kind escapes its way.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from app.core import text
from app.ports import Answer, LoggedOut, Notice, ProviderError, Refused, Room, Throttled, Unreachable, WebhookClient
from app.providers import addresses

PAUSE = 60  # seconds to wait when a chat asks for rest and does not say how long
LONGEST_PAUSE = 86_400
BROKEN = "Create a new webhook in the chat and save its address here."
SLACK_GONE = {
    "no_service": "this webhook was removed",
    "no_service_id": "this webhook does not exist",
    "no_active_hooks": "this webhook was switched off",
    "invalid_token": "this webhook's address is no longer valid",
    "no_team": "the workspace was not found",
    "team_disabled": "the workspace was switched off",
    "channel_not_found": "the channel was not found",
    "channel_is_archived": "the channel is archived",
    "action_prohibited": "an administrator does not allow this webhook to post",
    "posting_to_general_channel_denied": "an administrator does not allow posting to this channel",
}
_MARKDOWN = re.compile(r"([\\*_~`|>#\[\]()<@:-])")
_TEAMS_ERROR = re.compile(r"HTTP error (\d{3})")


@dataclass(frozen=True)
class Kind:
    """A kind of chat: how it is recognised, what it is sent, and what its answers mean."""

    room: Room
    host: re.Pattern[str]
    path: re.Pattern[str]
    begins: str  # how an address begins, to help with a wrong one
    body: Callable[[Notice], dict[str, Any]]
    judge: Callable[[Room, Answer], None]
    query: str = ""


class WebhookChats:
    """See Chats. `known_only` leaves out hosts that belong to none of the chats above."""

    def __init__(self, client: WebhookClient, base_url: str = "", *, known_only: bool = False) -> None:
        self._client, self._base_url, self._known_only = client, base_url, known_only

    def objection(self, url: str) -> str:
        if sentence := self._client.objection(url):
            return sentence
        kind = kind_of(url)
        if kind is GENERIC and self._known_only:
            *others, last = (one.room.title for one in KINDS if not one.room.warning)
            return f"Enter a webhook address from {', '.join(others)} or {last}."
        if not kind.path.fullmatch(_path(url)):
            return f"This is not a {kind.room.title} webhook. The address begins with {kind.begins}."
        return ""

    def room(self, url: str) -> Room:
        return kind_of(url).room

    def post(self, url: str, notice: Notice) -> None:
        kind = kind_of(url)
        linked = replace(notice, link=self._base_url + notice.link if notice.link else "")
        body = json.dumps(kind.body(linked), ensure_ascii=False).encode()
        joined = f"{url}{'&' if '?' in url else '?'}{kind.query}" if kind.query else url
        answer = self._client.post(joined, {"content-type": "application/json; charset=utf-8"}, body)
        kind.judge(kind.room, answer)


def kind_of(url: str) -> Kind:
    """Return the kind of chat by its host alone; GENERIC for an unknown one."""
    host = (addresses.split(url, allow_private=True).hostname or "").rstrip(".").lower()
    return next((kind for kind in KINDS if kind.host.fullmatch(host)), GENERIC)


def _path(url: str) -> str:
    return addresses.split(url, allow_private=True).path


def fitted(lines: Iterable[str], most: int) -> list[str]:
    """Return as many whole lines as fit into `most` characters, and how many are left out."""
    kept, left, room = [], 0, most - 40  # for the last line
    for line in lines:
        room -= len(line) + 1
        if room < 0 or left:
            left += 1
        else:
            kept.append(line)
    return [*kept, f"… and {left} more."] if left else kept


def _plain(notice: Notice, most: int, clean: Callable[[str], str]) -> str:
    """Return the notice as one text."""
    lines = [clean(text.shorten(line, 500)) for line in (notice.title, *notice.lines)]
    ends = [notice.link] if notice.link else []
    return "\n".join([*fitted(lines, most - len(notice.link) - 1), *ends])


def _slack(notice: Notice) -> dict[str, Any]:
    return {"text": _plain(notice, 3000, _entities), "mrkdwn": False}


def _entities(line: str) -> str:
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _discord(notice: Notice) -> dict[str, Any]:
    content = _plain(notice, 2000, lambda line: _MARKDOWN.sub(r"\\\1", line))
    return {"content": content, "allowed_mentions": {"parse": []}}


def _teams(notice: Notice) -> dict[str, Any]:
    """Return an adaptive card: its text runs have no markup."""
    lines = fitted((text.shorten(line, 500) for line in notice.lines), 12_000)
    runs = [{"type": "TextRun", "text": notice.title, "weight": "Bolder"}]
    runs += [{"type": "TextRun", "text": line} for line in lines]
    card: dict[str, Any] = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [{"type": "RichTextBlock", "inlines": [run]} for run in runs],
    }
    if notice.link:
        card["actions"] = [{"type": "Action.OpenUrl", "title": "Open Overture", "url": notice.link}]
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": None, "content": card}
    return {"type": "message", "attachments": [attachment]}


def _connector(notice: Notice) -> dict[str, Any]:
    """Return a card of Office connectors, with markup turned off in its sections."""
    lines = fitted((text.shorten(line, 500) for line in notice.lines), 12_000)
    card: dict[str, Any] = {
        "@type": "MessageCard",
        "@context": "https://schema.org/extensions",
        "summary": notice.title,
        "title": _entities(notice.title),
        "sections": [{"text": _entities(line), "markdown": False} for line in lines],
    }
    if notice.link:
        targets = [{"os": "default", "uri": notice.link}]
        card["potentialAction"] = [{"@type": "OpenUri", "name": "Open Overture", "targets": targets}]
    return card


def _google(notice: Notice) -> dict[str, Any]:
    """Return a Google Chat message: it has no escapes, so markup characters become look-alikes."""
    twins = str.maketrans({"<": "‹", ">": "›", "*": "∗", "_": "＿", "~": "∼", "`": "ˋ"})
    return {"text": _plain(notice, 4000, lambda line: line.translate(twins))}


def _generic(notice: Notice) -> dict[str, Any]:
    words = "\n".join([notice.title, *fitted(notice.lines, 12_000)])
    return {"text": words, "event": notice.event, "url": notice.link}


def _judge(room: Room, answer: Answer) -> None:
    """Raise the error that the status alone means."""
    if 200 <= answer.status < 300:
        return
    raise _failure(room, answer.status, answer.retry_after)


def _failure(room: Room, status: int, retry_after: int | float | None = None) -> ProviderError:
    if status == 429:
        wait = min(max(math.ceil(retry_after or PAUSE), 1), LONGEST_PAUSE)
        return Throttled(f"{room.title} asked us to wait {wait} seconds.", wait)
    if status in (401, 403, 404, 410):
        return LoggedOut(f"{room.title} doesn't know this address ({status}). {BROKEN}")
    if 400 <= status < 500 and status != 408:
        return Refused(f"{room.title} rejected the notification ({status}).")
    if 300 <= status < 400:
        return LoggedOut(f"{room.title} redirected us ({status}), and we don't follow redirects. {BROKEN}")
    return Unreachable(f"{room.title} has a problem right now ({status}).")


def _judge_slack(room: Room, answer: Answer) -> None:
    """Raise Slack's error: it answers `ok` or one word, a workflow answers JSON."""
    word = answer.head.strip()
    said = _json(answer.head)
    if answer.status == 200 and (word == "ok" or said.get("ok") is True):
        return
    word = str(said.get("error", word))
    if word in SLACK_GONE:
        raise LoggedOut(f"Slack says that {SLACK_GONE[word]}. {BROKEN}")
    if answer.status == 200:
        raise Unreachable("We couldn't read Slack's response.")
    raise _failure(room, answer.status, answer.retry_after)


def _judge_discord(room: Room, answer: Answer) -> None:
    """Raise Discord's error: its wait is a fraction of seconds in the body."""
    said = _json(answer.head)
    if answer.status == 429 and isinstance(said.get("retry_after"), int | float):
        raise _failure(room, 429, max(said["retry_after"], answer.retry_after or 0))
    if answer.status == 401 or said.get("code") in (10015, 50027):
        raise LoggedOut(f"This Discord webhook was deleted. {BROKEN}")
    _judge(room, answer)


def _judge_connector(room: Room, answer: Answer) -> None:
    """Raise a connector's error: it always answers 200, with `1` or a sentence that has the real status."""
    if answer.status == 200 and answer.head.strip() != "1":
        found = _TEAMS_ERROR.search(answer.head)
        raise _failure(room, int(found[1]) if found else 502, answer.retry_after)
    _judge(room, answer)


def _judge_google(room: Room, answer: Answer) -> None:
    """Raise Google's error: an invalid key is a 400 as well."""
    problem = _json(answer.head).get("error")
    reason = json.dumps(problem) if isinstance(problem, Mapping) else ""
    if answer.status == 400 and ("API_KEY_INVALID" in reason or "API key not valid" in reason):
        raise LoggedOut(f"Google Chat rejected the key in this address. {BROKEN}")
    _judge(room, answer)


def _json(body: str) -> dict[str, Any]:
    try:
        said = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


_ANY = re.compile(r".*")
RETIRED = "Microsoft is retiring this type of webhook. Create a webhook with the Workflows app in Teams."
KINDS = (
    Kind(
        Room("slack", "Slack"),
        re.compile(r"hooks\.slack(-gov)?\.com"),
        re.compile(r"/(services|workflows|triggers)/.+"),
        "https://hooks.slack.com/services/",
        _slack,
        _judge_slack,
    ),
    Kind(
        Room("discord", "Discord"),
        re.compile(r"((canary|ptb)\.)?discord(app)?\.com"),
        re.compile(r"/api/(v\d+/)?webhooks/\d+/[^/]+"),
        "https://discord.com/api/webhooks/",
        _discord,
        _judge_discord,
        query="wait=true",
    ),
    Kind(
        Room("teams", "Microsoft Teams"),
        re.compile(r"([a-z0-9-]+\.)+(logic\.azure\.com|api\.powerplatform\.com)"),
        re.compile(r".*/workflows/.+"),
        "https://…logic.azure.com/workflows/ or https://…api.powerplatform.com",
        _teams,
        _judge,
    ),
    Kind(
        Room("teams_connector", "Microsoft Teams (connector)", RETIRED),
        re.compile(r"([a-z0-9-]+\.webhook\.office\.com|outlook\.office(365)?\.com)"),
        re.compile(r"/webhook(b2)?/.+"),
        "https://….webhook.office.com/webhookb2/",
        _connector,
        _judge_connector,
    ),
    Kind(
        Room("google_chat", "Google Chat"),
        re.compile(r"chat\.googleapis\.com"),
        re.compile(r"/v1/spaces/[^/]+/messages"),
        "https://chat.googleapis.com/v1/spaces/",
        _google,
        _judge_google,
    ),
)
GENERIC = Kind(Room("generic", "The chat"), _ANY, _ANY, "https://", _generic, _judge)
