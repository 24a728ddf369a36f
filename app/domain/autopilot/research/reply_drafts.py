"""Drafted replies: the writer's suggested answer to the newest message of a conversation; only a member can send it.

The built-in writer answers at once; a model is asked by a job. What fails the claim check is not shown.
"""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core.actor import actor
from app.core.db import end_read, get_owned, insert, session, transaction
from app.core.errors import Conflict, InvalidRequest
from app.domain.autopilot import setup_state
from app.domain.autopilot.research import person_evidence
from app.domain.conversations import inbox_settings, threads
from app.domain.engine.manual import compose
from app.domain.people.exclusions import gate
from app.domain.platform import jobs
from app.domain.replies import own_words
from app.models.conversations import Conversation, Direction, DraftedReply, Message
from app.models.platform.jobs import Job
from app.models.workspaces import Workspace
from app.ports import ProviderError
from app.ports.writer import Asked, Brief, Evidence, Profile, SuggestedReply

KIND = "drafted_reply"
MOST_BEFORE = 6  # earlier messages of the conversation that a model reads
FAILED_CHECK = "No reply was suggested: the claim “{}” has no source."


def ask(workspace: Workspace, conversation_id: int) -> DraftedReply | None:
    """Return the reply to the person's newest message; the built-in writer writes it at once, a model later (None now).

    Also None if the newest message is ours or the person must not be contacted.
    """
    message = _message_to_answer(workspace, conversation_id)
    if message is None:
        return None
    if found := _stored_reply(workspace, message):
        return found
    if ports.models().current() is None:
        return _write(workspace, message)
    with transaction():
        jobs.add(workspace, KIND, str(conversation_id), {"conversation": conversation_id, "user": actor.get().user_id})
    return None


def suggest(workspace: Workspace, conversation_id: int, text: str, by: str) -> DraftedReply:
    """Store an assistant's reply to the person's newest message as a draft that a member can edit and send."""
    message = _message_to_answer(workspace, conversation_id)
    if message is None:
        raise Conflict("There is no message to reply to here.", recovery="Wait for the next message.")
    if not text.strip() or len(text) > compose.LONGEST:
        raise InvalidRequest.of(("text", f"Use 1 to {compose.LONGEST:,} characters."))
    reading = compose.read(workspace, conversation_id, text)
    if reading and reading.problems:
        raise InvalidRequest.of(*(("text", problem) for problem in reading.problems))
    answered = {"answers_id": message.id, "sentiment": message.sentiment}
    with transaction():
        _keep(workspace, conversation_id, answered, text.strip(), [], by, "")
        kept = _stored_reply(workspace, message)
    assert kept is not None
    return kept


def find(workspace: Workspace, conversation_id: int) -> DraftedReply | None:
    """Return the drafted reply to the person's newest message; None without one."""
    message = _message_to_answer(workspace, conversation_id)
    return _stored_reply(workspace, message) if message else None


def is_under_way(workspace: Workspace, conversation_id: int) -> bool:
    """Return whether a job that writes the reply is queued or running."""
    return jobs.is_under_way(workspace, KIND, str(conversation_id))


def write(workspace: Workspace, payload: dict[str, Any], job: Job) -> None:
    """Write one reply with the model. Calls out."""
    jobs.renew_lease(job, ports.models().longest())
    message = _message_to_answer(workspace, payload["conversation"])
    if message and _stored_reply(workspace, message) is None:
        _write(workspace, message, payload.get("user"))


def _stored_reply(workspace: Workspace, message: Message) -> DraftedReply | None:
    """Return the stored reply to this message, if the message's sentiment is the same as then; None without one."""
    query = sa.select(DraftedReply).where(
        DraftedReply.workspace_id == workspace.id, DraftedReply.conversation_id == message.conversation_id
    )
    found = session().scalars(query.execution_options(populate_existing=True)).one_or_none()
    return found if found and (found.answers_id, found.sentiment) == (message.id, message.sentiment) else None


def _message_to_answer(workspace: Workspace, conversation_id: int) -> Message | None:
    """Return the person's newest message if it is the last of the conversation and they may be written to."""
    thread = get_owned(Conversation, workspace, conversation_id)
    query = sa.select(Message).where(Message.conversation_id == thread.id, Message.automatic.is_(False))
    last = session().scalars(query.order_by(Message.at.desc(), Message.id.desc()).limit(1)).first()
    if last is None or last.direction != Direction.IN or not last.text.strip():
        return None
    if gate.ask_by_hand(workspace.id, thread.person_id, workspace.now()).asked.verdict:
        return None
    return last


def _write(workspace: Workspace, message: Message, user_id: int | None = None) -> DraftedReply | None:
    """Write the reply, check its claims and store it, or store that there is none."""
    conversation_id = message.conversation_id
    thread = threads.thread(workspace, conversation_id)
    brief = _brief(workspace, thread, message)
    link = inbox_settings.meeting_link(workspace.id, user_id or actor.get().user_id)
    asked = Asked(own_words.said(message.text), message.sentiment, _before(thread, message), bool(link))
    answered = {"answers_id": message.id, "sentiment": message.sentiment}
    end_read()
    writer = ports.writer()
    try:
        reply, written = writer.reply(brief, asked), writer.last()
    except ProviderError as failure:
        reply, written = SuggestedReply(note=failure.sentence), writer.last()
    problems = writer.check(replace(brief, opener=reply.sentences), reply.text) if reply.sentences else []
    if problems:
        reply = SuggestedReply(note=FAILED_CHECK.format(problems[0].words[:120]))
    used = {number for one in reply.sentences for number in one.facts}
    facts = [asdict(one) for one in brief.evidence if one.id in used]
    _keep(workspace, conversation_id, answered, reply.text, facts, written.by, reply.note or written.note)
    return find(workspace, conversation_id)


def _keep(
    workspace: Workspace,
    conversation_id: int,
    answered: dict[str, Any],
    text: str,
    facts: list[dict[str, Any]],
    by: str,
    note: str,
) -> None:
    row = {**answered, "text": text, "by": by, "note": note, "facts": facts, "at": workspace.now()}
    added = insert(DraftedReply).values(workspace_id=workspace.id, conversation_id=conversation_id, **row)
    kept = added.on_conflict_do_update(
        index_elements=["conversation_id"], set_={name: added.excluded[name] for name in row}
    )
    with transaction() as current:
        get_owned(Conversation, workspace, conversation_id, lock=True)  # first, as all who change it do
        current.execute(kept)


def _brief(workspace: Workspace, thread: Conversation, message: Message) -> Brief:
    """Return what the writer may use: their message first, then what else is known of them and of the business."""
    setup, lead = setup_state.find(workspace), threads.lead_of(thread)
    if setup is not None and setup.profile is not None:
        brief = setup_state.brief(workspace, setup)
    else:
        brief = Brief(Profile("", ""))
    theirs = Evidence(
        1, "conversation", "Their message", own_words.said(message.text)[:400], "", f"{message.at:%Y-%m-%d}"
    )
    known = person_evidence.gather(workspace, lead, "", (), brief.profile) if lead else []
    others = [one for one in known if one.about != "conversation"]
    evidence = [theirs, *(replace(one, id=number) for number, one in enumerate(others, 2))]
    return replace(brief, evidence=evidence, recipient=person_evidence.recipient(lead) if lead else thread.person.name)


def _before(thread: Conversation, message: Message) -> Sequence[tuple[str, str]]:
    """Return what was said before, oldest first."""
    query = sa.select(Message.direction, Message.text).where(
        Message.conversation_id == thread.id, Message.id != message.id, Message.at <= message.at
    )
    found = session().execute(query.order_by(Message.at.desc(), Message.id.desc()).limit(MOST_BEFORE)).all()
    return [("them" if row.direction == Direction.IN else "us", row.text) for row in reversed(found)]
