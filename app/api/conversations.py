"""Conversations: threads, messages, manual replies and sentiment."""

import re
from base64 import b64decode
from datetime import datetime
from typing import Annotated, Any, Literal

import sqlalchemy as sa
from pydantic import Field

from app import resources
from app.api.framework.bodies import Body, Day, Id, Moment
from app.api.framework.endpoint import Filter, endpoint, id_of, moment_of, one_of, text_of
from app.api.framework.schema_notes import BASE64, BLANK, WRITTEN, any_one_of, case, up_to, words
from app.core.errors import InvalidRequest
from app.core.paging import Paged
from app.core.text import LONGEST_EMAIL
from app.domain.conversations import attachments, inbox, notes, snippets, threads
from app.domain.conversations.threads import ThreadFilter
from app.domain.engine.inbound import reclassify
from app.domain.engine.manual import compose, recipients
from app.domain.tasks.meetings import meetings
from app.domain.workspace.workspaces import Workspace
from app.ports import File

ALL = "/conversations"
ONE = ALL + "/<id:conversation_id>"
MESSAGES = ONE + "/messages"
MESSAGE = MESSAGES + "/<id:message_id>"
SNIPPETS = "/snippets"
SNIPPET = SNIPPETS + "/<id:snippet_id>"
NOTES = ONE + "/notes"
NOTE = NOTES + "/<id:note_id>"
ORDERS = ("id", "lastMessage")
FILTERS = {
    "sentiment": one_of(*resources.TONES, about="Only conversations with this `sentiment`."),
    "unread": one_of("true", "false", about="`true` for conversations with unread messages, `false` for all others."),
    "accountId": id_of("an account", "Only conversations with this LinkedIn account or mailbox as the sender."),
    "campaignId": id_of("a campaign", "Only conversations that this campaign started."),
    "updatedAfter": moment_of("Only conversations whose `updatedAt` is later than this."),
    "sort": Filter(
        one_of(*ORDERS).parse,
        {**one_of(*ORDERS).schema, "default": "id"},
        "Sort by `id` (newest conversation first) or `lastMessage` (latest message first).",
    ),
    "state": Filter(
        one_of(*inbox.STATES).parse,
        one_of(*inbox.STATES).schema,
        "Only conversations in this state: `open` (the person replied, or a reminder is due), `reminded` (hidden until"
        " then) or `done`.",
    ),
    "assignee": text_of(
        200, "Only conversations assigned to the member with this email address; `none` for unassigned conversations."
    ),
    "company": text_of(200, "Only conversations with people whose company has exactly this name."),
    "meeting": one_of("true", "false", about="`true` for conversations with a booked meeting, `false` for all others."),
    "query": text_of(200, "Words to search for in names, companies and messages; the beginning of a word is enough."),
}


class NewAttachment(Body):
    """A file to attach to an email."""

    name: Annotated[str, words(attachments.LONGEST_NAME)]
    """The name of the file, such as `offer.pdf`."""
    content: Annotated[str, Field(min_length=1, json_schema_extra=BASE64)]
    """The content of the file in base64."""
    media_type: Annotated[str, Field(pattern=r"^[a-z0-9.+-]{1,60}/[a-z0-9.+-]{1,90}$")] = "application/octet-stream"
    """The media type, such as `application/pdf`."""


Files = Annotated[list[NewAttachment], Field(max_length=attachments.MOST_FILES)]


class NewMessage(Body):
    """The message to send. In a LinkedIn conversation, a message with a subject is sent as an InMail."""

    model_config = any_one_of(
        case("Only `text`, for a message or an email.", subject=BLANK),
        case(
            "`text` and `subject`, for an InMail.",
            "subject",
            subject=WRITTEN,
            text={"maxLength": compose.LONGEST_INMAIL},
        ),
    )

    text: Annotated[str, words(compose.LONGEST)]
    """The text, which can contain variables."""
    subject: Annotated[str, up_to(compose.LONGEST_SUBJECT)] = ""
    """The subject of an InMail or a first email; empty for an ordinary message."""
    send_at: Moment | None = None
    """When to send the message, at most 90 days ahead; null to send it immediately."""
    reply_all: bool = False
    """Whether to copy the email (Cc) to the other recipients of the person's last email."""
    cc: Annotated[list[Annotated[str, words(LONGEST_EMAIL)]], Field(max_length=recipients.MOST)] = []
    """Email addresses to copy the email to (Cc), in addition to those from `replyAll`."""
    attachments: Files = []
    """Files to attach to the email."""


class FirstMessage(NewMessage):
    """The first message to a person, and its sender. An email needs a subject."""

    model_config = any_one_of(
        case("Only `text`, for a message.", subject=BLANK),
        case("`text` and `subject`, for an email or InMail.", "subject", subject=WRITTEN),
    )

    person_id: Id
    """The id of the person to write to."""
    account_id: Id
    """The id of the LinkedIn account or mailbox to send from."""


class NewSnippet(Body):
    """A snippet's name and its text, which may contain variables."""

    name: Annotated[str, words(snippets.LONGEST_NAME)]
    """The name of the snippet, which members see."""
    text: Annotated[str, words(snippets.LONGEST)]
    """The text, with variables."""


class Tone(Body):
    """The correct sentiment of a reply."""

    sentiment: Literal["positive", "negative", "generic"]
    """The correct sentiment; `generic` is neutral."""
    message_id: Annotated[str, Field(pattern=r"^[1-9][0-9]{0,17}$")] | None = None
    """The id of the reply, as text; null for the last reply."""


class Reminder(Body):
    """When to show the conversation again, and why."""

    day: Day
    """The day on which to show the conversation again: after today, within five years."""
    text: Annotated[str, up_to(inbox.LONGEST_REMINDER)] = ""
    """A note for that day; can be empty."""


class Assignee(Body):
    """The email address of a member; null removes the assignment."""

    email: Annotated[str, up_to(254)] | None
    """The email address of the member; null to assign the conversation to no one."""


class NewNote(Body):
    """A note for members; put `@` before a member's name to mention them."""

    text: Annotated[str, words(notes.LONGEST)]
    """The text of the note."""


@endpoint("GET", ALL, scope="conversations:read", page_of=resources.Conversation, filters=FILTERS)
def page(
    workspace: Workspace,
    sentiment: str | None = None,
    unread: str | None = None,
    account_id: int | None = None,
    campaign_id: int | None = None,
    updated_after: datetime | None = None,
    sort: str = "id",
    state: str = "",
    assignee: str = "",
    company: str = "",
    meeting: str | None = None,
    query: str = "",
) -> Paged:
    """List conversations, newest first.

    By default, conversations are sorted by id, so paging never skips or repeats a conversation. With
    `sort=lastMessage`, a conversation that gets a new message moves to the first page. To avoid missing such
    conversations, list again with `updatedAfter` set to the time at which you started.
    """
    wanted = None if unread is None else unread == "true"
    choice = ThreadFilter(
        sentiment,
        wanted,
        account_id=account_id,
        campaign_id=campaign_id,
        updated_after=updated_after,
        state=state,
        assignee_id=inbox.member_id(workspace, assignee, "assignee") if assignee else None,
        company=company,
        meeting=None if meeting is None else meeting == "true",
        query=query,
    )
    return threads.Found(workspace, choice, latest=sort == "lastMessage")


@endpoint("GET", ONE, scope="conversations:read", returns=resources.Conversation)
def show(workspace: Workspace, conversation_id: int) -> Any:
    """Get a conversation."""
    return threads.get(workspace, conversation_id)


@endpoint("GET", MESSAGES, scope="conversations:read", page_of=resources.Message)
def messages(workspace: Workspace, conversation_id: int) -> sa.Select[Any]:
    """List a conversation's sent and received messages, newest first."""
    return threads.messages(workspace, conversation_id)


@endpoint("GET", MESSAGE, scope="conversations:read", returns=resources.Message)
def message(workspace: Workspace, conversation_id: int, message_id: int) -> Any:
    """Get a message and its state."""
    return threads.message(workspace, conversation_id, message_id)


@endpoint(
    "POST",
    MESSAGES,
    scope="conversations:write",
    body=NewMessage,
    returns=resources.MessageResult,
    status=202,
    if_match=True,
    dry=True,
    example={"text": "Thank you, Tuesday at ten suits me."},
)
def send(workspace: Workspace, conversation_id: int, body: NewMessage, if_match: str | None = None) -> Any:
    """Send a message in a conversation, in the background.

    The message is sent as soon as the sender is free: poll the message until `status` is `sent`, `failed` or `unknown`,
    which are final (`unknown`: the outcome can't be found out, and the message is not sent again). To avoid overlooking
    a new reply, send `If-Match` with the id of the newest message you have seen. If the person has written since then,
    you get 409 `conversation_changed` and nothing is sent; automatic replies and your own messages do not count. An id
    that is not in this conversation gets the same error: read the messages again. You also get 409 if the person is on
    the do-not-contact list. The message counts towards the sender's limits. If the daily limit is reached, `status`
    stays `queued`, and `error` says why. Variables, choices and conditions work as in campaigns; if a variable cannot
    be filled in, nothing is sent. The conversation is marked as read. The person's campaigns are paused until you
    resume them; only a reply from the person ends them.

    With `sendAt`, the message is sent at that time. If the person writes first, the message is not sent, and its
    `status` becomes `failed`. You can delete a message until it is sent.

    With `replyAll`, the email is copied (Cc) to the other recipients of the person's last email; with `cc`, to the
    addresses you name. If one of these addresses is on the do-not-contact list, you get 409. Only emails can have
    `attachments`, of up to 3.5 MB in total.
    """
    threads.thread(workspace, conversation_id)
    seen_id = None if if_match is None else compose.fingerprint(workspace, conversation_id, if_match)
    return compose.write(
        workspace,
        conversation_id,
        body.text,
        body.subject,
        seen_id,
        send_at=body.send_at,
        reply_all=body.reply_all,
        cc=body.cc,
        files=_files(body),
    )


def _files(body: NewMessage) -> list[File]:
    wrong = [number for number, one in enumerate(body.attachments) if not re.fullmatch(BASE64["pattern"], one.content)]
    if wrong:
        raise InvalidRequest.of(*((f"attachments[{number}].content", "Use base64.") for number in wrong))
    read = [(one, b64decode(one.content)) for one in body.attachments]
    return [File(one.name, one.media_type, len(content), content) for one, content in read]


@endpoint(
    "POST",
    ALL,
    scope="conversations:write",
    body=FirstMessage,
    returns=resources.MessageResult,
    status=202,
    dry=True,
    example={"personId": 1204, "accountId": 3, "subject": "A question", "text": "Hello {{first_name}}, may I ask?"},
)
def start(workspace: Workspace, body: FirstMessage) -> Any:
    """Send the first message to a person, from the sender you choose, in the background.

    Because no member approves the message, the key also needs the scope `approvals:write`; without it, you get 403.
    Messages in a conversation that has messages already need only `conversations:write`.

    The same checks and limits apply as to every message in a conversation. If the person already has a conversation
    with this sender, the message is sent there. Returns 409 if the sender is disconnected or off, or the person is on
    the do-not-contact list or has no profile or address for this sender; `recovery` says what to do first. Whether
    the two are connected is known only when the message is sent: without a connection, its `status` becomes `failed`.
    """
    return compose.begin(
        workspace,
        body.person_id,
        body.account_id,
        body.text,
        body.subject,
        send_at=body.send_at,
        reply_all=body.reply_all,
        cc=body.cc,
        files=_files(body),
    )


@endpoint(
    "GET",
    ONE + "/attachments/<id:attachment_id>",
    scope="conversations:read",
    returns=resources.AttachmentContent,
)
def download_attachment(workspace: Workspace, conversation_id: int, attachment_id: int) -> Any:
    """Get a file from a conversation, including its content."""
    return attachments.get(workspace, conversation_id, attachment_id)


@endpoint("POST", MESSAGE + "/retry", scope="conversations:write", returns=resources.MessageResult, dry=True)
def retry(workspace: Workspace, conversation_id: int, message_id: int) -> Any:
    """Retry a message now: one with the status `failed`, or a `queued` one, without waiting for its `sendAt`.

    Daily limits still apply. Returns 409 if the message has been sent or is being sent.
    """
    return compose.retry(workspace, conversation_id, message_id)


@endpoint("DELETE", MESSAGE, scope="conversations:write", returns=None)
def discard(workspace: Workspace, conversation_id: int, message_id: int) -> None:
    """Delete an unsent message, with the status `queued` (scheduled or waiting) or `failed`.

    Returns 409 for every other status; a message with the status `unknown` may have been sent.
    """
    compose.discard(workspace, conversation_id, message_id)


@endpoint("POST", ONE + "/read", scope="conversations:write", returns=resources.Conversation)
def read(workspace: Workspace, conversation_id: int) -> Any:
    """Mark a conversation as read.

    Nothing changes on LinkedIn or in the mailbox.
    """
    threads.mark(workspace, conversation_id, read=True)
    return threads.get(workspace, conversation_id)


@endpoint("POST", ONE + "/unread", scope="conversations:write", returns=resources.Conversation)
def unread(workspace: Workspace, conversation_id: int) -> Any:
    """Mark a conversation as unread.

    Nothing changes on LinkedIn or in the mailbox.
    """
    threads.mark(workspace, conversation_id, read=False)
    return threads.get(workspace, conversation_id)


@endpoint("POST", ONE + "/mute", scope="conversations:write", returns=resources.Conversation)
def mute(workspace: Workspace, conversation_id: int) -> Any:
    """Mute a conversation: new messages are not marked as unread, and no one is notified.

    Replies still end the person's campaigns.
    """
    threads.mute(workspace, conversation_id, muted=True)
    return threads.get(workspace, conversation_id)


@endpoint("POST", ONE + "/unmute", scope="conversations:write", returns=resources.Conversation)
def unmute(workspace: Workspace, conversation_id: int) -> Any:
    """Unmute a conversation.

    Messages received while muted stay marked as read.
    """
    threads.mute(workspace, conversation_id, muted=False)
    return threads.get(workspace, conversation_id)


@endpoint("POST", ONE + "/done", scope="conversations:write", returns=resources.Conversation)
def mark_done(workspace: Workspace, conversation_id: int) -> Any:
    """Mark a conversation as done; the person's next message reopens it.

    A conversation that is done is no longer listed as open; it is read, and its reminder is removed. Nothing is sent.
    """
    inbox.finish(workspace, conversation_id)
    return threads.get(workspace, conversation_id)


@endpoint("POST", ONE + "/reopen", scope="conversations:write", returns=resources.Conversation)
def reopen(workspace: Workspace, conversation_id: int) -> Any:
    """Reopen a conversation that is done, or remove its reminder.

    Nothing is sent.
    """
    inbox.reopen(workspace, conversation_id)
    return threads.get(workspace, conversation_id)


@endpoint(
    "POST",
    ONE + "/remind",
    scope="conversations:write",
    body=Reminder,
    returns=resources.Conversation,
    example={"day": "2030-03-01", "text": "They decide in March."},
)
def remind(workspace: Workspace, conversation_id: int, body: Reminder) -> Any:
    """Hide a conversation until 8:00 on a given day, in the workspace's time zone; a reply brings it back immediately.

    The conversation is marked as read. The new reminder replaces an existing reminder.
    """
    inbox.remind(workspace, conversation_id, body.day, body.text)
    return threads.get(workspace, conversation_id)


@endpoint(
    "POST",
    ONE + "/assign",
    scope="conversations:write",
    body=Assignee,
    returns=resources.Conversation,
    example={"email": "ada@example.com"},
)
def assign(workspace: Workspace, conversation_id: int, body: Assignee) -> Any:
    """Assign a conversation to a member, or to no one.

    Every member can still reply.
    """
    threads.thread(workspace, conversation_id)
    inbox.assign(workspace, conversation_id, inbox.member_id(workspace, body.email, "email") if body.email else None)
    return threads.get(workspace, conversation_id)


@endpoint("POST", ONE + "/meeting", scope="conversations:write", returns=resources.Conversation)
def book(workspace: Workspace, conversation_id: int) -> Any:
    """Record that a meeting is booked with the person in a conversation, unless one is booked already.

    The person's campaigns end, as after a reply. Use this for meetings that your connected calendar does not report.
    """
    meetings.mark(workspace, conversation_id, booked=True)
    return threads.get(workspace, conversation_id)


@endpoint("DELETE", ONE + "/meeting", scope="conversations:write", returns=None)
def unbook(workspace: Workspace, conversation_id: int) -> None:
    """Mark the booked meetings with the person in a conversation as canceled.

    Your calendar does not change. Campaigns that ended because of a meeting resume, unless the person has replied since
    then.
    """
    meetings.mark(workspace, conversation_id, booked=False)


@endpoint("GET", SNIPPETS, scope="conversations:read", page_of=resources.Snippet)
def snippets_page(workspace: Workspace) -> sa.Select[Any]:
    """List snippets, newest first."""
    return snippets.select(workspace)


@endpoint(
    "POST",
    SNIPPETS,
    scope="conversations:write",
    body=NewSnippet,
    returns=resources.Snippet,
    status=201,
    example={"name": "Prices", "text": "Hello {{first_name|there}}, our prices are on one page. Shall I send it?"},
)
def add_snippet(workspace: Workspace, body: NewSnippet) -> Any:
    """Add a snippet, a short text for replies.

    Returns 409 if there is already a snippet with this name, or if the limit of snippets is reached; in that case,
    delete a snippet first.
    """
    return snippets.add(workspace, body.name, body.text)


@endpoint("GET", SNIPPET, scope="conversations:read", returns=resources.Snippet)
def show_snippet(workspace: Workspace, snippet_id: int) -> Any:
    """Get a snippet."""
    return snippets.get(workspace, snippet_id)


@endpoint(
    "PUT",
    SNIPPET,
    scope="conversations:write",
    body=NewSnippet,
    returns=resources.Snippet,
    example={"name": "Prices", "text": "Hello {{first_name|there}}, our prices are on one page."},
)
def change_snippet(workspace: Workspace, snippet_id: int, body: NewSnippet) -> Any:
    """Change a snippet.

    Existing messages do not change. Returns 409 if another snippet has this name.
    """
    return snippets.change(workspace, snippet_id, body.name, body.text)


@endpoint("DELETE", SNIPPET, scope="conversations:write", returns=None)
def delete_snippet(workspace: Workspace, snippet_id: int) -> None:
    """Delete a snippet.

    Existing messages do not change.
    """
    snippets.remove(workspace, snippet_id)


@endpoint("GET", NOTES, scope="conversations:read", page_of=resources.ConversationNote)
def notes_page(workspace: Workspace, conversation_id: int) -> sa.Select[Any]:
    """List a conversation's notes, newest first."""
    return notes.select(workspace, conversation_id)


@endpoint(
    "POST",
    NOTES,
    scope="conversations:write",
    body=NewNote,
    returns=resources.ConversationNote,
    status=201,
    example={"text": "@Marek can you take this one?"},
)
def add_note(workspace: Workspace, conversation_id: int, body: NewNote) -> Any:
    """Add an internal note to a conversation; mentioned members are notified.

    Notes are never sent to the person.
    """
    return notes.add(workspace, conversation_id, body.text)


@endpoint("DELETE", NOTE, scope="conversations:write", returns=None)
def delete_note(workspace: Workspace, conversation_id: int, note_id: int) -> None:
    """Delete a note."""
    notes.remove(workspace, conversation_id, note_id)


@endpoint(
    "POST",
    ONE + "/classify",
    scope="conversations:write",
    body=Tone,
    returns=resources.Conversation,
    example={"sentiment": "positive"},
)
def classify(workspace: Workspace, conversation_id: int, body: Tone) -> Any:
    """Correct a reply's sentiment; for the last reply, this also changes the conversation, statistics and tag.

    In a campaign, a new `lead_auto_tagged_…` event is sent, which also contains the previous tag.

    Returns 409 if the person has not replied yet.
    """
    chosen = None if body.message_id is None else int(body.message_id)
    reclassify.classify(workspace, conversation_id, body.sentiment, chosen)
    return threads.get(workspace, conversation_id)
