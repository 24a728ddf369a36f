"""Backups: what they hold, when they are made and kept, and what is refused."""

import re
import shutil
import stat
import subprocess
import threading
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest
import sqlalchemy as sa
from flask import Flask

from app.core import clock as time
from app.core import database_copy, migrations
from app.core.db import end_read, session, transaction
from app.core.errors import Unavailable
from app.domain.installation import backup, backup_archive
from app.domain.installation.backup import Plan
from app.models.workspaces import Workspace
from tests.support.movable import Movable
from tests.support.processes import SECRET


@pytest.fixture
def plan(app: Flask, tmp_path: Path) -> Plan:
    """This installation, backed up into a folder of this test's own."""
    return Plan(app.config["DATABASE_URL"], tmp_path / "backups", "on", 3, SECRET, ("an older secret, with a comma",))


def test_a_backup_says_what_it_holds(acme: Workspace, plan: Plan) -> None:
    """Only its owner may read it, and its manifest counts the rows."""
    before = time.now()
    file = backup.make(plan)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    manifest = backup_archive.read_manifest(file)
    assert manifest.revision == migrations.newest()
    assert before <= manifest.moment <= time.now()
    tables = session().connection()
    assert manifest.rows == database_copy.count_rows(tables, sorted(manifest.rows))
    assert manifest.rows["workspace"] == 1
    assert backup_archive.read_secrets(file) == (SECRET, "an older secret%2C with a comma")
    assert [one.name for one in plan.folder.iterdir() if not one.name.startswith(".")] == [file.name]


def test_a_backup_without_the_secret_has_none(acme: Workspace, plan: Plan) -> None:
    """Neither the present one nor an older one, in any file of it."""
    file = backup.make(plan, with_secret=False)
    with zipfile.ZipFile(file) as archive:
        assert sorted(archive.namelist()) == ["database", "manifest.json"]
        assert all(SECRET.encode() not in archive.read(name) for name in archive.namelist())
    assert not backup_archive.read_manifest(file).secret


def test_the_newest_are_kept_and_other_files_stay(acme: Workspace, plan: Plan, clock: Movable) -> None:
    left = plan.folder / ".making-1"
    left.mkdir(parents=True)
    (left / "database").write_bytes(b"half")
    others = ["notes.txt", "overture.zip", "backup.zip"]
    for name in others:
        (plan.folder / name).write_text("mine")
    files = []
    for minutes in (1, 1, 1, 0, 1):
        files.append(backup.make(plan))
        clock.forward(minutes=minutes)
    assert backup.made(plan.folder) == files[:1:-1]
    assert all((plan.folder / name).exists() for name in others)
    assert not left.exists()
    assert backup.made_at(files[-1]).hour == 9
    with pytest.raises(ValueError, match="not the name of a backup"):
        backup.made_at(plan.folder / "backup.zip")


def test_every_night_has_its_backup(acme: Workspace, plan: Plan, clock: Movable) -> None:
    """Once a night, and at once when a night was missed; `off` makes none, `without-secret` one without it."""
    backup.use(plan)
    clock.to(time.now().replace(hour=12, minute=0))
    assert [backup.run_due(), backup.run_due()] == [1, 0]
    clock.forward(hours=14)
    assert backup.run_due() == 0
    clock.forward(hours=2)
    assert [backup.run_due(), backup.run_due()] == [1, 0]
    clock.forward(hours=24 * 3)
    backup.use(Plan(plan.url, plan.folder, "off", 3, SECRET))
    assert backup.run_due() == 0
    backup.use(Plan(plan.url, plan.folder, "without-secret", 3, SECRET))
    assert [backup.run_due(), backup.run_due()] == [1, 0]
    assert not backup_archive.read_manifest(backup.made(plan.folder)[0]).secret


def test_a_full_disk_and_a_backup_without_all_rows_are_refused(
    acme: Workspace, plan: Plan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one sentence that says how much room is missing; a backup is read back and its rows are counted."""
    file = backup.make(plan)
    manifest = backup_archive.read_manifest(file)
    backup_archive.extract_database(file, tmp_path / "database")
    wrong = manifest.__class__(**{**vars(manifest), "rows": {**manifest.rows, "workspace": 2}})
    backup_archive.write(tmp_path / "wrong.zip", wrong, tmp_path / "database", SECRET)
    with pytest.raises(Unavailable, match="rows are missing"):
        backup.verify(tmp_path / "wrong.zip", tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=10 * 2**20))
    with pytest.raises(Unavailable, match=r"Not enough disk space .* only 10 MB are free"):
        backup.make(plan)
    assert backup.made(plan.folder) == [file]


def test_a_backup_made_while_others_write_is_of_one_moment(
    app: Flask, acme: Workspace, rival: Workspace, plan: Plan, tmp_path: Path
) -> None:
    stop, written = threading.Event(), threading.Event()
    ids = [acme.id, rival.id]

    def write() -> None:
        with app.app_context():
            number = 0
            while not stop.is_set():
                number += 1
                with transaction() as current:
                    for each in ids:
                        current.execute(sa.update(Workspace).where(Workspace.id == each).values(name=f"Name {number}"))
                written.set()

    writer = threading.Thread(target=write)
    end_read()
    writer.start()
    try:
        assert written.wait(30)
        files = [backup.make(plan) for _ in range(3)]
    finally:
        stop.set()
        writer.join()
    for number, file in enumerate(files):
        names = _names(file, tmp_path / f"read-{number}")
        assert names[0] == names[1]
        assert names[0].startswith("Name ")


def _names(file: Path, to: Path) -> list[str]:
    """The names of both workspaces as the backup has them."""
    backup_archive.extract_database(file, to)
    if backup_archive.read_manifest(file).dialect == "sqlite":
        with database_copy.connected(f"sqlite:///{to}") as connection:
            return list(connection.execute(sa.select(Workspace.name)).scalars())
    rows = ["pg_restore", "--data-only", "--table=workspace", "--file=-", str(to)]
    return re.findall(r"\bName \d+\b", subprocess.run(rows, capture_output=True, text=True, check=True).stdout)
