"""Conversations: which there are, what was said, answering by hand, and how a reply is meant."""

from typing import Annotated, Any, Literal

import sqlalchemy as sa
from pydantic import Field

from app import resources
from app.api.framework.bodies import Body
from app.api.framework.endpoint import endpoint, id_of, one_of, text_of
from app.api.framework.schema_notes import BLANK, WRITTEN, any_one_of, case, up_to, words
from app.domain.conversations import threads
from app.domain.conversations.threads import ThreadFilter
from app.domain.engine.inbound import reclassify
from app.domain.engine.manual import compose
from app.domain.workspace.workspaces import Workspace

ALL = "/conversations"
ONE = ALL + "/<id:conversation_id>"
MESSAGES = ONE + "/messages"
MESSAGE = MESSAGES + "/<id:message_id>"


FILTERS = {
    "sentiment": one_of(*resources.TONES),
    "unread": one_of("true", "false"),
    "accountId": id_of("an account"),
    "campaignId": id_of("a campaign"),
    "query": text_of(200, "Words, or how they begin, in names, companies and messages."),
}


class NewMessage(Body):
    """What is said. With a subject it goes out as an InMail, on social conversations only."""

    model_config = any_one_of(
        case("A message or an e-mail.", subject=BLANK),
        case("An InMail.", "subject", subject=WRITTEN, text={"maxLength": compose.LONGEST_INMAIL}),
    )

    text: Annotated[str, words(compose.LONGEST)]
    subject: Annotated[str, up_to(compose.LONGEST_SUBJECT)] = ""


class Tone(Body):
    """How a reply is meant; without `messageId` the last one."""

    sentiment: Literal["positive", "negative", "generic"]
    message_id: Annotated[str, Field(pattern=r"^[1-9][0-9]{0,17}$")] | None = None


@endpoint("GET", ALL, scope="conversations:read", page_of=resources.Conversation, errors="E0", filters=FILTERS)
def page(
    workspace: Workspace,
    sentiment: str | None = None,
    unread: str | None = None,
    account_id: int | None = None,
    campaign_id: int | None = None,
    query: str = "",
) -> sa.Select[Any]:
    """The conversations, the one that began last first.

    The order is by id, so that a walk neither skips nor repeats one while people go on writing; `lastMessageAt` says
    where there was activity.
    """
    wanted = None if unread is None else unread == "true"
    choice = ThreadFilter(sentiment, wanted, account_id=account_id, campaign_id=campaign_id, query=query)
    return threads.page(workspace, choice)


@endpoint("GET", ONE, scope="conversations:read", returns=resources.Conversation, errors="E404")
def show(workspace: Workspace, conversation_id: int) -> Any:
    """One conversation."""
    return threads.get(workspace, conversation_id)


@endpoint("GET", MESSAGES, scope="conversations:read", page_of=resources.Message, errors="E404")
def messages(workspace: Workspace, conversation_id: int) -> sa.Select[Any]:
    """What was said in the conversation, in both directions, the newest first."""
    return threads.messages(workspace, conversation_id)


@endpoint("GET", MESSAGE, scope="conversations:read", returns=resources.Message, errors="E404")
def message(workspace: Workspace, conversation_id: int, message_id: int) -> Any:
    """One message, and how far it has come."""
    return threads.message(workspace, conversation_id, message_id)


@endpoint(
    "POST",
    MESSAGES,
    scope="conversations:write",
    body=NewMessage,
    returns=resources.MessageResult,
    status=202,
    errors="E404+409",
    if_match=True,
    example={"text": "Thank you, Tuesday at ten suits me."},
)
def send(workspace: Workspace, conversation_id: int, body: NewMessage, if_match: str | None = None) -> Any:
    """A message waits to be sent in the conversation, and goes out as soon as the sender is free.

    `If-Match` with the id of the newest message you have seen makes sure that they have not written since: otherwise
    the answer is 409 `conversation_changed` and nothing is sent. It counts against the sender's limits; at what is
    safe at most in 24 hours it waits as `queued` until there is room, and `error` of the message says so. A sequence
    in which the person still is pauses for them.
    """
    threads.thread(workspace, conversation_id)
    seen_id = None if if_match is None else compose.fingerprint(workspace, conversation_id, if_match)
    return compose.write(workspace, conversation_id, body.text, body.subject, seen_id)


@endpoint("POST", MESSAGE + "/retry", scope="conversations:write", returns=resources.MessageResult, errors="E404+409")
def retry(workspace: Workspace, conversation_id: int, message_id: int) -> Any:
    """A message that failed, or that waits, is tried once more now."""
    return compose.retry(workspace, conversation_id, message_id)


@endpoint("DELETE", MESSAGE, scope="conversations:write", returns=None, status=204, errors="E404+409")
def discard(workspace: Workspace, conversation_id: int, message_id: int) -> None:
    """A message that was not sent is gone; one that is on its way or sent is a conflict."""
    compose.discard(workspace, conversation_id, message_id)


@endpoint("POST", ONE + "/read", scope="conversations:write", returns=resources.Conversation, errors="E404+409")
def read(workspace: Workspace, conversation_id: int) -> Any:
    """Nothing in the conversation is unread."""
    threads.mark(workspace, conversation_id, read=True)
    return threads.get(workspace, conversation_id)


@endpoint("POST", ONE + "/unread", scope="conversations:write", returns=resources.Conversation, errors="E404+409")
def unread(workspace: Workspace, conversation_id: int) -> Any:
    """The conversation is unread again."""
    threads.mark(workspace, conversation_id, read=False)
    return threads.get(workspace, conversation_id)


@endpoint("POST", ONE + "/mute", scope="conversations:write", returns=resources.Conversation, errors="E404+409")
def mute(workspace: Workspace, conversation_id: int) -> Any:
    """What they write from now on is neither unread nor an alert; the conversation stays in the list."""
    threads.mute(workspace, conversation_id, muted=True)
    return threads.get(workspace, conversation_id)


@endpoint("POST", ONE + "/unmute", scope="conversations:write", returns=resources.Conversation, errors="E404+409")
def unmute(workspace: Workspace, conversation_id: int) -> Any:
    """What they write is news again."""
    threads.mute(workspace, conversation_id, muted=False)
    return threads.get(workspace, conversation_id)


@endpoint(
    "POST",
    ONE + "/classify",
    scope="conversations:write",
    body=Tone,
    returns=resources.Conversation,
    errors="E404+409",
    example={"sentiment": "positive"},
)
def classify(workspace: Workspace, conversation_id: int, body: Tone) -> Any:
    """A reply is meant so; conversation, campaign figures and the lead's tag follow when it is the last.

    It is told again as `lead_auto_tagged_…`, with the former tag.
    """
    chosen = None if body.message_id is None else int(body.message_id)
    reclassify.classify(workspace, conversation_id, body.sentiment, chosen)
    return threads.get(workspace, conversation_id)
