"""Who opted out elsewhere: exports of other tools, through an import and a campaign."""

import io
import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from app.core.db import session, transaction
from app.core.errors import InvalidRequest
from app.domain.leads import csv_import, leads, lists
from app.domain.leads.csv_import import Choices
from app.domain.leads.imports import import_opt_outs
from app.domain.leads.imports.opt_out_words import words
from app.domain.people.exclusions import never_contact
from app.domain.platform import jobs
from app.domain.privacy import erasure
from app.models.leads import ImportState, Lead, LeadImport, LeadList, ListType, NeverContact
from app.models.ledger import Action
from app.models.people import Person
from app.models.workspaces import Workspace
from tests.domain.outreach import a_campaign, email, forward

EXPORTS: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("opt_out_exports.json").read_text(encoding="utf-8")
)["files"]


def export(name: str) -> dict[str, Any]:
    return next(one for one in EXPORTS if one["id"] == name)


def uploaded(workspace: Workspace, content: str, name: str = "people.csv", into: LeadList | None = None) -> LeadImport:
    into = into or lists.create_list(workspace, "Founders")
    return csv_import.create(workspace, into.id, name, io.BytesIO(content.encode()))


def finished(workspace: Workspace, found: LeadImport) -> LeadImport:
    csv_import.start(workspace, found.id)
    while jobs.run_due():
        pass
    session().expire_all()
    return csv_import.get(workspace, found.id)


def imported(workspace: Workspace, content: str, name: str = "people.csv", into: LeadList | None = None) -> LeadImport:
    return finished(workspace, uploaded(workspace, content, name, into))


def in_list(list_id: int) -> set[str]:
    """The addresses of the people in the list."""
    query = sa.select(Person.email).join(Lead, Lead.person_id == Person.id).where(Lead.list_id == list_id)
    return set(session().scalars(query))


def blocked(workspace: Workspace) -> dict[str, str]:
    """What is on the do-not-contact list, and why."""
    rows = session().execute(
        sa.select(NeverContact.value, NeverContact.reason).where(NeverContact.workspace_id == workspace.id)
    )
    return {row.value: row.reason for row in rows}


def written_to(workspace: Workspace) -> set[str]:
    """The addresses to which emails went."""
    query = sa.select(Person.email).join(Action, Action.person_id == Person.id)
    return set(session().scalars(query.where(Action.workspace_id == workspace.id, Action.kind == "email")))


def test_who_opted_out_in_another_tool_is_not_contacted_and_all_others_are(acme: Workspace, rival: Workspace) -> None:
    """Through an import into one list and a campaign to it, for every export; a dead address is kept unwritten."""
    into = lists.create_list(acme, "Founders")
    for one in EXPORTS:
        done = imported(acme, one["csv"], one["name"], into)
        assert (done.state, done.opted_out, done.bounced) == (ImportState.DONE, len(one["no"]), len(one["dead"])), one
    ok, no, dead = ({address for one in EXPORTS for address in one[what]} for what in ("ok", "no", "dead"))
    assert in_list(into.id) == ok | dead
    assert {value for value in blocked(acme) if "@" in value} == no | dead
    assert blocked(rival) == {}
    a_campaign(acme, into.id, [email()], senders=3)
    forward(acme, days=20)
    assert written_to(acme) == ok


def test_the_preview_says_how_many_before_anything_is_stored(acme: Workspace) -> None:
    for name, sentences in (
        ("mailchimp unsubscribed", ["2 people unsubscribed in Mailchimp and won't be contacted."]),
        ("apollo", [
            "1 person opted out in Apollo and won't be contacted.",
            "1 email address bounced in Apollo: imported, but not contacted.",
        ]),
        ("traps", []),
    ):  # fmt: skip
        found = uploaded(acme, export(name)["csv"], export(name)["name"])
        assert import_opt_outs.sentences(found) == sentences
    assert session().scalars(sa.select(Person.email).where(Person.email.like("%@mc1.example"))).all() == []
    assert blocked(acme) == {}


def test_the_do_not_contact_list_says_where_it_was_said_and_when(acme: Workspace) -> None:
    one = export("mailchimp unsubscribed")
    imported(acme, one["csv"], one["name"])
    assert blocked(acme)["anna@mc1.example"] == (
        "UNSUB_TIME: 2024-05-03 09:12:11, in Mailchimp (unsubscribed_members_export_4f2c.csv)"
    )
    imported(acme, "Email,Lead Status\ntom@y.example,Unsubscribed\n")
    assert blocked(acme)["tom@y.example"] == "Lead Status: Unsubscribed (people.csv)"
    imported(acme, "Email,Subscribed,Created\neva@y.example,0,2025-01-01\n")  # the day of joining proves nothing
    assert blocked(acme)["eva@y.example"] == "Subscribed: 0 (people.csv)"


def test_everything_that_names_a_person_is_barred_and_they_leave_their_campaigns(acme: Workspace) -> None:
    """All addresses of the row and the profile; of a dead address only the address."""
    into = lists.create_list(acme, "Founders")
    header = "Email,Email 2,LinkedIn URL,Status\n"
    content = header + (
        "ada@x.example,ada@home.example,https://network.example/in/ada,Unsubscribed\n"
        "bob@x.example,,https://network.example/in/bob,Bounced\n"
    )
    leads.add(acme, into.id, [{"email": "ada@home.example"}], by_email=True)
    a_campaign(acme, into.id, [email()], senders=3)
    imported(acme, content)
    assert set(blocked(acme)) == {"ada@x.example", "ada@home.example", "ada", "bob@x.example"}
    forward(acme, days=3)
    assert written_to(acme) == set()


def test_who_opted_out_elsewhere_is_known_in_every_spelling_of_the_mailbox(acme: Workspace, rival: Workspace) -> None:
    imported(acme, "Email,Status\nAnn.Lee+news@googlemail.com,Unsubscribed\n")
    for workspace, joined in ((acme, set()), (rival, {"annlee@gmail.com"})):
        into = lists.create_list(workspace, "More")
        leads.add(workspace, into.id, [{"email": "annlee@gmail.com"}], by_email=True)
        assert in_list(into.id) == joined


def test_a_value_about_consent_that_is_not_understood_has_to_be_answered(acme: Workspace, rival: Workspace) -> None:
    """Each value is asked about; what is answered holds for its people, and nothing is stored before."""
    content = "Email,Mail preference\na@x.example,A\nb@x.example,B\nc@x.example,C\nd@x.example,\n"
    found = uploaded(acme, content)
    with pytest.raises(InvalidRequest) as refusal:
        csv_import.start(acme, found.id)
    assert [field.path for field in refusal.value.fields] == ["consent.0", "consent.1", "consent.2"]
    assert (
        "“Mail preference” may say who must not be contacted. Choose what “A” means." in refusal.value.fields[0].message
    )
    answers = {"Mail preference": {"A": "contact", "B": "doNotContact", "C": "bounced"}}
    csv_import.choose(acme, found.id, Choices(found.mapping, consent=answers))
    done = finished(acme, found)
    assert (done.added, done.skipped, done.opted_out, done.bounced) == (3, 1, 1, 1)
    assert in_list(done.list_id) == {"a@x.example", "c@x.example", "d@x.example"}
    assert set(blocked(acme)) == {"b@x.example", "c@x.example"}


def test_a_file_that_was_uploaded_before_anyone_asked_is_asked_about_too(acme: Workspace) -> None:
    found = uploaded(acme, "Email,Mail preference\na@x.example,A\n")
    with transaction() as current:
        current.execute(sa.update(LeadImport).values(opt_outs=None))
    csv_import.choose(acme, found.id, Choices(found.mapping))
    with pytest.raises(InvalidRequest):
        csv_import.start(acme, found.id)


def test_what_is_asked_about_and_what_is_clear(acme: Workspace) -> None:
    asked: list[tuple[str, str, str, list[str]]] = [
        ("Status\nUnsubscribed\nInactive\n", "people.csv", "inactive means many things beside this", ["Inactive"]),
        ("Status\nCustomer\nInactive\n", "people.csv", "inactive says nothing alone", []),
        ("Newsletter\nyes\nno\n", "people.csv", "no and yes in a column that says neither", ["no"]),
        ("GDPR consent\nyes\n\n", "people.csv", "an empty cell beside yes may be a no", ["(empty)"]),
        ("Opted in\nyes\nno\n", "people.csv", "clear", []),
        ("cio_subscription_preferences.topics.topic_1\ntrue\nfalse\n", "people.csv", "one topic", ["false"]),
        ("Email opt in\nyes\npending\n", "people.csv", "a consent that nobody has given yet", ["pending"]),
        ("Do not contact\nno\nunknown\n", "people.csv", "nobody knows", ["unknown"]),
        ("GDPR\nyes\nunbekannt\n", "people.csv", "nobody knows, in another language", ["unbekannt"]),
        ("Consent source\nFair in Berlin\nImport\n", "people.csv", "where a consent came from says nothing", []),
        ("Bulk mail status\nHard Bounce\nPost only\n", "people.csv", "one of emails beside a bounce", ["Post only"]),
        ("Lead Status\nUnsubscribed\nPost only\n", "people.csv", "a status of anything", []),
        ("Bounced\nno\nmaybe\n", "people.csv", "a value that is neither", ["maybe"]),
        ("City\nUlm\nBonn\n", "all contacts with unsubscribed.csv", "not all in it are meant",
         ["all contacts with unsubscribed"]),
        ("Status\nSubscribed\nUnsubscribed\n", "unsubscribed.csv", "the file's name is contradicted", ["unsubscribed"]),
        ("City\nUlm\nBonn\n", "contacts without unsubscribed.csv", "turned round", []),
        ("City\nUlm\nBonn\n", "unsubscribed.csv", "clear", []),
    ]  # fmt: skip
    for column, name, why, questions in asked:
        name_of, first, second, _ = f"{column}\n\n".split("\n")[:4]
        found = uploaded(acme, f"Email,{name_of}\na@x.example,{first}\nb@x.example,{second}\n", name)
        told = import_opt_outs.surveyed(found)
        assert [sign.value for sign in told.signs if sign.meaning == "unknown"] == questions, (column, why)


def test_the_name_of_the_list_counts_as_the_files_does(acme: Workspace) -> None:
    into = lists.create_list(acme, "Unsubscribed (old tool)")
    imported(acme, "Email\na@x.example\n", "people.csv", into)
    assert set(blocked(acme)) == {"a@x.example"}


def test_a_blocked_domain_in_a_list_of_blocked_addresses_is_barred(acme: Workspace) -> None:
    """A host of free mail is not: it names no company."""
    done = imported(acme, "Email\nada@x.example\nacme.com\n@globex.com\ngmail.com\n", "blocklist.csv")
    assert set(blocked(acme)) == {"ada@x.example", "acme.com", "globex.com"}
    assert (done.opted_out, done.invalid) == (3, 1)


def test_a_mapping_loses_no_opt_out(acme: Workspace) -> None:
    """Whether the column is imported as a field or not at all."""
    for number, meaning in enumerate(("", "custom:Status", "headline")):
        found = uploaded(acme, f"Email,Status\na{number}@x.example,Unsubscribed\n")
        csv_import.start(acme, found.id, {"0": "email", "1": meaning})
        while jobs.run_due():
            pass
    assert set(blocked(acme)) == {"a0@x.example", "a1@x.example", "a2@x.example"}


def test_an_erased_person_is_not_named_again(acme: Workspace) -> None:
    into = lists.create_list(acme, "Founders")
    leads.add(acme, into.id, [{"email": "ada@x.example"}], by_email=True)
    (lead_id,) = session().scalars(sa.select(Lead.id).where(Lead.list_id == into.id))
    erasure.erase(acme, lead_id)
    while jobs.run_due():
        pass
    imported(acme, "Email,Status\nada@x.example,Unsubscribed\n")
    assert "ada@x.example" not in blocked(acme)
    assert [entry.kind for entry in session().scalars(never_contact.page(acme))] == ["erased"]


def test_the_words_of_values_do_not_contradict_each_other() -> None:
    """One value means one thing in every language."""
    values = words().values
    for one, other in combinations(("yes", "no", "empty", "refused"), 2):
        assert values[one] & values[other] == frozenset(), (one, other)
    assert values["yes"] & values["status_never"] == values["fine"] & values["refused"] == frozenset()


def test_companies_that_opted_out_are_left_out_and_nobody_there_is_contacted(acme: Workspace) -> None:
    into = lists.create_list(acme, "Firms", type=ListType.COMPANIES)
    rows = "Acme,acme.example,Active\nBeta,beta.example,Do not contact\nCeta,,Do not contact\n"
    found = uploaded(acme, f"Company,Website,Status\n{rows}", "accounts.csv", into)
    assert import_opt_outs.sentences(found, of_companies=True) == [
        "2 companies opted out, so people there won't be contacted."
    ]
    done = finished(acme, found)
    assert (done.added, done.opted_out) == (1, 2)
    assert blocked(acme) == {
        "beta.example": "Status: Do not contact (accounts.csv)",
        "ceta": "Status: Do not contact (accounts.csv)",
    }
