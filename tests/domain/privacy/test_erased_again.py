"""A backup from before an erasure brings no one back: the list of erasures beside the secret key is applied to it."""

from pathlib import Path

import pytest
import sqlalchemy as sa
from flask import Flask

from app.core import database_copy
from app.core.db import Base, end_read, session, transaction
from app.domain.installation import backup
from app.domain.installation.backup import Plan
from app.domain.installation.restore import Target
from app.domain.leads import lists
from app.domain.privacy import erased_again, erasure, erasure_list
from app.models.leads import Lead, NeverContact
from app.models.workspaces import Workspace
from tests.domain.installation.test_restore import elsewhere, plan  # noqa: F401 pytest finds them here
from tests.domain.outreach import INVITE, a_campaign, a_list, forward, message
from tests.domain.privacy.test_erasure import NETWORK, PERSON, TRACES, WHO, traces
from tests.support import processes


@pytest.fixture
def listed(app: Flask, tmp_path: Path) -> Path:
    file = tmp_path / "erasures"
    erasure_list.use(file)
    return file


def traces_in(url: str) -> list[str]:
    """Where in that database anything of the person still stands."""
    with database_copy.connected(url) as connection:
        return [
            f"{table.name}: {trace}"
            for table in Base.metadata.sorted_tables
            if not table.name.startswith(NETWORK)
            for row in connection.execute(sa.select(table))
            for trace in TRACES
            if trace in repr(tuple(row)).casefold()
        ]


def test_a_restored_backup_from_before_erases_them_again(
    acme: Workspace,
    plan: Plan,  # noqa: F811
    elsewhere: Target,  # noqa: F811
    listed: Path,
    tmp_path: Path,
) -> None:
    a_campaign(acme, [PERSON, "accepts-bob"], [INVITE, message("Hello")])
    forward(acme, days=14)
    before = backup.make(plan)
    lead_id = {one.person.public_id: one.id for one in session().scalars(sa.select(Lead))}[WHO]
    end_read()
    erasure.erase(acme, lead_id)
    assert erasure_list.keep() == 2
    assert listed.stat().st_mode & 0o077 == 0
    assert not [trace for trace in TRACES if trace in listed.read_text().casefold()]
    env = processes.environment(elsewhere.url, elsewhere.instance)
    del env["SECRET_KEY"]
    done = processes.run(env, "restore", str(before), "--erasures", str(listed))
    assert "People erased since the backup were erased again: 1." in done.stdout, done.stderr
    assert traces_in(elsewhere.url) == []
    with database_copy.connected(elsewhere.url) as there:
        left = there.execute(sa.text("SELECT count(*) FROM person WHERE public_id = 'accepts-bob'")).scalar()
    assert left == 1


def test_who_is_not_in_the_backup_any_more_stays_barred(acme: Workspace, listed: Path) -> None:
    a_list(acme, ["somebody"])
    list_id = a_list(acme, [PERSON], "Theirs")
    (lead,) = session().scalars(lists.query_list(acme, list_id))
    end_read()
    erasure.erase(acme, lead.id)
    erasure_list.keep()
    kept = listed.read_text()
    with transaction() as current:
        current.execute(sa.delete(NeverContact))
    assert erased_again.apply() == 0
    assert erasure_list.keep() == 0
    assert listed.read_text() == kept
    again = session().scalar(sa.select(sa.func.count()).select_from(NeverContact))
    end_read()
    assert again == 2
    assert traces(acme) == []


def test_a_list_with_strange_lines_is_read(tmp_path: Path) -> None:
    file = tmp_path / "list"
    assert erasure_list.read(file) == set()
    file.write_text("1 abc\nnonsense\n\nx abc\n2 def\n")
    assert erasure_list.read(file) == {(1, "abc"), (2, "def")}
