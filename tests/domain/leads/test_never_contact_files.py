"""Files for the do-not-contact list, as other programs write them."""

import io

import pytest
import sqlalchemy as sa

from app.core.db import session
from app.core.errors import InvalidRequest
from app.domain.leads import never_contact_files
from app.domain.people.exclusions.never_contact import AddedEntries
from app.models.leads import NeverContact
from app.models.workspaces import Workspace


def added(workspace: Workspace, content: str, **usual: str) -> AddedEntries:
    return never_contact_files.add(
        workspace, never_contact_files.read(workspace, io.BytesIO(content.encode()), **usual)
    )


def listed(workspace: Workspace) -> list[tuple[str, str, str, str]]:
    query = sa.select(NeverContact).where(NeverContact.workspace_id == workspace.id).order_by(NeverContact.value)
    return [(one.kind, one.value, one.reason, str(one.until or "")) for one in session().scalars(query)]


def test_a_row_bars_its_person_and_only_without_one_its_company(acme: Workspace) -> None:
    content = (
        "E-Mail;LinkedIn;Firma;Website;Grund;Gültig bis\n"
        "ada@x.example;https://network.example/in/ada;X Ltd;x.example;Kundin;31.12.2099\n"
        ";;Wool Ltd;wool.example;;2099-01-02 00:00:00\n"
        ";;Iron Ltd;;;\n"
        ";;;;Spam;\n"
        "bob@;;;;;\n"
        "eve@x.example;;;;;12/31/2099\n"
        "joe@x.example;;;;;2001-01-01\n"
    )
    result = added(acme, content, reason="Usual")
    assert listed(acme) == [
        ("person", "ada", "Kundin", "2099-12-31"),
        ("email", "ada@x.example", "Kundin", "2099-12-31"),
        ("company", "iron", "Usual", ""),
        ("domain", "wool.example", "Usual", "2099-01-02"),
    ]
    assert [(number, sentence) for number, _, sentence in result.refused] == [
        (5, "The row has no person, email address, domain or company."),
        (6, "bob@ is not an email address. Fix it or remove it."),
        (7, "“12/31/2099” is not a date. Write dates as 2026-12-31."),
        (8, "The end date has passed. Choose a later day."),
    ]


def test_a_file_without_column_names_has_an_entry_a_row(acme: Workspace, rival: Workspace) -> None:
    assert added(acme, "x.example\nada@y.example\ncompany: acme.com\n").ids
    assert [one[:2] for one in listed(acme)] == [
        ("company", "acme.com"),
        ("email", "ada@y.example"),
        ("domain", "x.example"),
    ]
    assert listed(rival) == []
    with pytest.raises(InvalidRequest):
        added(acme, "x.example\n" * (never_contact_files.MOST_ROWS + 2))
