"""What tools of all kinds ask of the published document, so that they leave nothing of it out."""

import json
import logging
import re
import warnings

import pytest

from tests.api.compatible import kept
from tests.support.assistants import apart
from tools import clients

PUBLISHED = clients.published()
OPERATIONS = [one for path in PUBLISHED["paths"].values() for one in path.values()]
# What a new operation's name begins with; those of 0.1.0 keep theirs. A verb that is missing here is added.
VERBS = {
    *("accept", "add", "analyze", "apply", "approve", "ask", "assign", "begin", "block", "book", "build", "cancel"),
    *("change", "check", "choose", "classify", "compare", "connect", "create", "decide", "decline", "delete"),
    *("design", "discard", "disconnect", "dismiss", "download", "duplicate", "edit", "enrol", "erase", "exclude"),
    *("export", "extend", "find", "finish", "follow", "get", "invite", "launch", "leave", "let", "list", "look"),
    *("mark", "merge", "move", "mute", "open", "pause", "pin", "plan", "preview", "put", "read", "reconnect", "record"),
    *("refresh", "remind", "remove", "rename", "reopen", "reorder", "replace", "replay", "resend", "reset"),
    *("restore", "resume", "retry", "revoke", "rewrite", "rotate", "run", "save", "search", "send", "set", "share"),
    *("show", "skip", "start", "stop", "suggest", "sync", "tag", "take", "tell", "test", "transfer", "unblock"),
    *("unbook", "undo", "unfollow", "unmerge", "unmute", "update", "upload", "use", "verify", "vote", "withdraw"),
    "write",
}


def is_verb(operation_id: str) -> bool:
    """Whether a name says what is done: `lists.create`, or that it is a page of things: `lists.leads_page`."""
    words = operation_id.partition(".")[2].split("_")
    return words[0] in VERBS or words[-1] == "page"


def test_operations_are_called_by_verbs() -> None:
    """As a programmer would write them: `lists.create`, `campaigns.start`."""
    documents = [*kept().values(), PUBLISHED]
    released, names = set[str](), list[str]()
    for document in documents:
        released.update(names)
        names = [one["operationId"] for path in document["paths"].values() for one in path.values()]
    assert len({*names}) == len(names) > 200
    assert [name for name in names if not re.fullmatch(r"[a-z_]+\.[a-z_]+", name)] == []
    assert [name for name in names if name not in released and not is_verb(name)] == []


def test_events_have_a_tag_of_their_own() -> None:
    """Generators make a class of each tag: with that of the operations, one would replace the other."""
    told = {tag for path in PUBLISHED["webhooks"].values() for tag in path["post"]["tags"]}
    assert told
    assert told & {tag for one in OPERATIONS for tag in one["tags"]} == set()


def test_a_field_with_a_default_need_not_be_sent() -> None:
    """`default` in a body makes it required in what openapi-typescript generates."""
    with_default = [
        f"{name}.{field}"
        for name, schema in PUBLISHED["components"]["schemas"].items()
        for field, about in schema.get("properties", {}).items()
        if "default" in about
    ]
    told = [name for name, schema in PUBLISHED["components"]["schemas"].items() if "x-default" in json.dumps(schema)]
    assert (with_default, len(told) > 10) == ([], True)


def test_assistants_get_every_operation_as_a_tool(caplog: pytest.LogCaptureFixture) -> None:
    """FastMCP makes tools of the document, and leaves none out."""
    import asyncio

    import httpx2
    from fastmcp import FastMCP

    async def tools() -> int:
        async with httpx2.AsyncClient(base_url="http://localhost") as connection:
            return len(await FastMCP.from_openapi(PUBLISHED, client=connection).list_tools())

    with warnings.catch_warnings(record=True) as found, caplog.at_level(logging.WARNING):
        many = apart(asyncio.run, tools())
    assert many == len(OPERATIONS) > 200
    assert [str(one.message) for one in found] == []
    assert [one.getMessage() for one in caplog.records if one.levelno >= logging.WARNING] == []
