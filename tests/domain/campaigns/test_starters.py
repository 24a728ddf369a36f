"""Starter sequences: accepted as they stand, without a hole for people with few fields, and read as one would write."""

import re
from types import SimpleNamespace

import pytest

from app.core.errors import InvalidRequest
from app.domain.campaigns import campaigns, starters
from app.domain.campaigns.starters import Starter
from app.domain.rules import message_templates
from app.domain.rules.message_templates import Draw
from app.domain.rules.sequences.branches import Flow
from app.domain.rules.step_kinds import NOTE_LENGTH_BASIC, STEPS
from app.domain.senders import accounts
from app.models.accounts import Channel
from app.models.workspaces import Workspace
from tests.domain.outreach import a_list

pytestmark = pytest.mark.usefixtures("clock")
TOPICS = ("", "invoice processing", "x" * starters.LONGEST_TOPIC)
CLICHES = (
    "hope this",
    "finds you well",
    "reaching out",
    "touch base",
    "circle back",
    "just following up",
    "bump",
    "synergy",
    "quick call",
    "pick your brain",
    "game changer",
    "excited",
    "leverage",
    "!",
)
NOBODY = {"first_name": "", "last_name": "", "headline": "", "position": "", "company_name": "", "location": ""}
ADA = NOBODY | {"first_name": "Ada", "company_name": "Acme Tools"}
LONG = NOBODY | {"first_name": "Bartholomew-Maximilian", "company_name": "Oyelaran Fitzgerald Montgomery & Sons"}


def starter(key: str) -> Starter:
    return next(one for one in starters.every() if one.key == key)


def said(starter: Starter, person: dict[str, str], **custom: str) -> list[tuple[str, str, str]]:
    known = message_templates.values(SimpleNamespace(**person, custom_fields=custom), "Ines Duarte")
    found = []
    for number, step in enumerate(starter.sequence):
        body = message_templates.fill(step.get("message", ""), known, Draw(1, number))
        title = message_templates.fill_line(step.get("subject", ""), known, Draw(1, number))
        assert (body.missing, body.broken, title.missing, title.broken) == ((), "", (), "")
        found.append((step["type"], "\n".join(body.parts), title.parts[0]))
    return found


def test_a_campaign_takes_every_starter_as_it_stands(acme: Workspace) -> None:
    """With senders of its channels alone; the social one has no Sales Navigator, so that notes are short."""
    list_id = a_list(acme, ["accepts-ada"])
    for topic in TOPICS:
        for one in starters.every(topic):
            senders = [account.id for account in accounts.every(acme) if account.channel in one.channels]
            ours = {"sequence": one.sequence, "branches": one.branches}
            made = campaigns.create(acme, name=one.name, list_id=list_id, account_ids=senders, **ours)
            assert [step["type"] for step in made.sequence] == [step["type"] for step in one.sequence]
            assert [dict(branch) for branch in made.branches or ()] == list(one.branches)


def test_a_text_has_no_hole_one_question_and_no_cliche() -> None:
    texts = [
        found
        for topic in TOPICS[:2]
        for one in starters.every(topic)
        for person in (NOBODY, ADA, LONG)
        for found in said(one, person)
        if STEPS[found[0]].text != "none"
    ]
    for kind, text, subject in texts:
        assert not re.search(r"[{}|\[\]]|  |\s[.,?:]|,,|\.\.|TOPIC|\bat[.?,]", text + "\n" + subject), text
        assert text.count("?") == 1, text
        assert not [phrase for phrase in CLICHES if phrase in text.casefold()], text
        assert len(text) <= (NOTE_LENGTH_BASIC if kind == "connection_request" else 400), text
        assert text[0].isupper(), text
        assert len(subject) <= 80, text


def test_what_is_not_known_of_a_person_is_not_said() -> None:
    """The premise of a list is in its description; news is told on the side of those it was found for."""
    hiring = starter("hiring")
    (branch,) = hiring.branches
    about = [number for number, step in enumerate(hiring.sequence) if "hiring" in step["message"]]
    assert branch["when"] == {"is": "signal", "kind": "hiring"}
    assert about
    assert all(branch["at"] <= number < branch["otherwise"] for number in about)
    for key, words in (("event", "same event"), ("former-customers", "worked together")):
        with_it = [
            one.key for one in starters.every() if any(words in step.get("message", "") for step in one.sequence)
        ]
        assert with_it == [key]
    texts = [step.get("message", "").replace("I'd like", "") for step in starter("after-like").sequence]
    assert not any("like" in text for text in texts)


def test_a_promise_to_stop_is_the_last_step() -> None:
    for one in starters.every():
        flow = Flow(one.sequence, one.branches)
        for number, step in enumerate(one.sequence):
            if re.search(r"won't write again|my last email", step.get("message", "")):
                ends = {branch["join"] for branch in flow.branches} | {len(one.sequence)}
                assert number + 1 == len(one.sequence) in ends


def test_each_step_has_its_reason_and_each_starter_its_people() -> None:
    for one in starters.every():
        assert len(one.reasons) == len(one.sequence)
        assert len(set(one.reasons)) == len(one.reasons)
        assert all(reason.endswith(".") and len(reason) < 120 for reason in [*one.reasons, one.people, one.idea])


def test_the_topic_stands_in_the_texts_and_is_never_read_as_syntax() -> None:
    for one in starters.every("invoice processing"):
        texts = " ".join(step.get("message", "") for step in one.sequence)
        assert ("invoice processing" in texts) == (one.key != "invite-only")
    for wrong in ("{{first_name}}", "a|b", "x" * 61, "two\nlines", "back\\slash"):
        with pytest.raises(InvalidRequest) as refusal:
            starters.every(wrong)
        assert [field.path for field in refusal.value.fields] == ["topic"]


def test_what_the_workspace_lacks_is_said(acme: Workspace, rival: Workspace) -> None:
    mailboxes = [one for one in accounts.every(acme) if one.channel == Channel.EMAIL]
    assert starters.missing(acme)["email-three"] == []
    for one in mailboxes:
        accounts.edit(acme, one.id, active=False)
    kinds = {key: [one.kind for one in lacks] for key, lacks in starters.missing(acme).items()}
    assert kinds["invite-messages"] == []
    assert kinds["email-three"] == kinds["invite-or-email"] == ["mailbox"]
    assert kinds["hiring"] == ["signal"]
    assert starters.missing(rival)["email-three"] == []
