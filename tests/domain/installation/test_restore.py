"""Restores: the same rows elsewhere, held from the first moment, and what is refused before anything changes."""

import os
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import pytest
import sqlalchemy as sa
from flask import Flask

from app.core import database_copy, migrations
from app.core.crypto import Keyring
from app.core.errors import AppError, Conflict, InvalidRequest, NotSupported
from app.domain.installation import backup, backup_archive, table_rows
from app.domain.installation.backup import Plan
from app.domain.installation.restore import Target, restore
from app.models.platform.installation import Restore
from app.models.workspaces import Workspace
from tests.databases import empty_postgres
from tests.support.processes import SECRET

pytestmark = pytest.mark.postgres
OTHER = "another key for tests that is as long as a key must be"


@pytest.fixture
def plan(app: Flask, tmp_path: Path) -> Plan:
    return Plan(app.config["DATABASE_URL"], tmp_path / "backups", "on", 3, SECRET)


@pytest.fixture
def elsewhere(plan: Plan, tmp_path: Path) -> Iterator[Target]:
    """An empty place of the same kind, without a secret key."""
    if plan.url.startswith("sqlite"):
        yield Target(f"sqlite:///{tmp_path / 'elsewhere' / 'overture.db'}", tmp_path / "elsewhere", "")
    else:
        with empty_postgres() as url:
            yield Target(url, tmp_path / "elsewhere", "")


def rows(url: str) -> dict[str, list[table_rows.Row]]:
    with database_copy.connected(url) as connection:
        return {
            table.name: [row for batch in table_rows.read(connection, table) for row in batch]
            for table in table_rows.tables()
            if table.name != Restore.__tablename__
        }


def holds(url: str) -> list[tuple[object, object]]:
    with database_copy.connected(url) as connection:
        found = connection.execute(sa.select(Restore.backup_at, Restore.released_at)).all()
        return [tuple(row) for row in found]  # type: ignore[misc]


def test_a_restored_copy_has_every_row_and_is_held(acme: Workspace, plan: Plan, elsewhere: Target) -> None:
    """An empty schema counts as empty; the newest schema and the secret key are there, and numbers go on."""
    file = backup.make(plan)
    elsewhere.instance.mkdir()
    migrations.upgrade(elsewhere.url)
    made = restore(file, elsewhere)
    assert rows(elsewhere.url) == rows(plan.url)
    assert holds(elsewhere.url) == [(made.moment, None)]
    assert migrations.current(elsewhere.url) == migrations.newest()
    kept = elsewhere.instance / "secret_key"
    assert kept.read_text() == SECRET
    assert kept.stat().st_mode & 0o077 == 0
    with database_copy.connected(plan.url) as one, database_copy.connected(elsewhere.url) as other:
        numbers = table_rows.last_ids(one)
        assert {name: number for name, number in table_rows.last_ids(other).items() if name in numbers} == numbers
    there = Target(elsewhere.url, elsewhere.instance, SECRET)
    with database_copy.connected(there.url) as connection:
        connection.execute(sa.update(Workspace).values(name="Changed"))
    with pytest.raises(Conflict, match="The database is not empty"):
        restore(file, there)
    assert [row["name"] for row in rows(there.url)["workspace"]] == ["Changed"]
    restore(file, there, replace=True)
    assert rows(there.url) == rows(plan.url)
    assert len(holds(there.url)) == 1


def test_another_secret_key_is_never_overwritten(acme: Workspace, plan: Plan, elsewhere: Target) -> None:
    file = backup.make(plan)
    with pytest.raises(Conflict, match="SECRET_KEY differs from"):
        restore(file, Target(elsewhere.url, elsewhere.instance, OTHER))
    elsewhere.instance.mkdir(exist_ok=True)
    (elsewhere.instance / "secret_key").write_text(OTHER)
    with pytest.raises(Conflict, match="has a different secret"):
        restore(file, elsewhere)
    assert (elsewhere.instance / "secret_key").read_text() == OTHER


def test_a_backup_without_its_secret_needs_the_right_one(acme: Workspace, plan: Plan, elsewhere: Target) -> None:
    file = backup.make(plan, with_secret=False)
    with pytest.raises(InvalidRequest, match="The backup has no secret key"):
        restore(file, elsewhere)
    with pytest.raises(Conflict, match="SECRET_KEY differs"):
        restore(file, Target(elsewhere.url, elsewhere.instance, OTHER))
    restore(file, Target(elsewhere.url, elsewhere.instance, SECRET))
    assert not (elsewhere.instance / "secret_key").exists()
    restore(file, Target(elsewhere.url, elsewhere.instance, ""), replace=True, without_secret=True)
    assert rows(elsewhere.url) == rows(plan.url)


def test_a_trigger_or_view_of_others_is_refused(acme: Workspace, plan: Plan, elsewhere: Target, tmp_path: Path) -> None:
    """It would live on in the restored database, and run whenever its table changes."""
    if not plan.url.startswith("sqlite"):
        pytest.skip("The backup of a Postgres is no file of SQLite.")
    file, database = backup.make(plan), tmp_path / "database"
    manifest = backup_archive.read_manifest(file)
    backup_archive.extract_database(file, database)
    with database_copy.connected(f"sqlite:///{database}") as connection:
        connection.exec_driver_sql("CREATE TRIGGER mine AFTER INSERT ON lead BEGIN DELETE FROM never_contact; END")
        connection.exec_driver_sql("CREATE VIEW yours AS SELECT * FROM lead")
    backup_archive.write(tmp_path / "wrong.zip", manifest, database, SECRET)
    with pytest.raises(InvalidRequest, match=": mine, yours"):
        restore(tmp_path / "wrong.zip", elsewhere)


def test_what_is_no_backup_is_refused(acme: Workspace, plan: Plan, elsewhere: Target, tmp_path: Path) -> None:
    """A text, half a backup, one with a manifest of another form, an encrypted one, and one of which some bytes
    changed; a single one may mean the same to the packer.
    """
    text = tmp_path / "text.zip"
    text.write_text("not an Overture backup")
    whole = backup.make(plan).read_bytes()
    half, changed = tmp_path / "half.zip", tmp_path / "changed.zip"
    half.write_bytes(whole[: len(whole) // 2])
    with zipfile.ZipFile(BytesIO(whole)) as opened:
        largest = max(opened.infolist(), key=lambda member: member.compress_size)
    middle = largest.header_offset + 30 + len(largest.filename) + largest.compress_size // 2
    others = bytes(byte ^ 0xFF for byte in whole[middle : middle + 16])  # zeros might be what stands there
    changed.write_bytes(whole[:middle] + others + whole[middle + 16 :])
    odd = []
    for number, manifest in enumerate(("[" * 5000, '{"rows": [1]}', " " * 2**21)):
        odd.append(tmp_path / f"odd{number}.zip")
        with zipfile.ZipFile(odd[-1], "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(backup_archive.MANIFEST, manifest)
    for file in (text, half, changed, *odd):
        with pytest.raises(AppError, match="damaged"):
            restore(file, elsewhere)
    locked = bytearray(whole)
    for sign, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):  # the bit that says so, in both its places
        locked[locked.index(sign) + place] |= 1
    text.write_bytes(locked)
    with pytest.raises(InvalidRequest, match="is encrypted"):
        restore(text, elsewhere)
    assert not (elsewhere.instance / "secret_key").exists()


def test_a_backup_of_a_newer_version_or_another_database_is_refused(
    acme: Workspace, plan: Plan, elsewhere: Target, tmp_path: Path
) -> None:
    file = backup.make(plan)
    manifest = backup_archive.read_manifest(file)
    backup_archive.extract_database(file, tmp_path / "database")
    other = "postgresql" if manifest.dialect == "sqlite" else "sqlite"
    for number, (changes, sentence) in enumerate(
        [({"revision": "9999"}, "made by a newer version"), ({"dialect": other}, "This is a backup from")]
    ):
        wrong = tmp_path / f"{number}.zip"
        backup_archive.write(wrong, backup_archive.Manifest(**vars(manifest) | changes), tmp_path / "database", SECRET)
        with pytest.raises(NotSupported, match=sentence):
            restore(wrong, elsewhere)


def test_older_secret_keys_come_back_too(acme: Workspace, plan: Plan, elsewhere: Target) -> None:
    """In a file that OVERTURE_OLD_SECRET_KEYS_FILE can name; the manifest tells only the name of the key."""
    file = backup.make(Plan(plan.url, plan.folder, "on", 3, SECRET, (OTHER,)))
    restore(file, elsewhere)
    assert (elsewhere.instance / "old_secret_keys").read_text() == OTHER
    manifest = backup_archive.read_manifest(file)
    assert manifest.key == Keyring(SECRET, (OTHER,)).newest.hex()
    assert SECRET not in manifest.written()


def test_without_the_programs_of_postgres_rows_are_copied(
    acme: Workspace, plan: Plan, elsewhere: Target, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Every row, with the ids and the numbers that follow, held as well."""
    monkeypatch.setitem(os.environ, "PATH", str(tmp_path))
    file = backup.make(plan)
    assert backup_archive.read_manifest(file).kind == ("sqlite" if plan.url.startswith("sqlite") else "rows")
    restore(file, elsewhere)
    assert rows(elsewhere.url) == rows(plan.url)
    assert len(holds(elsewhere.url)) == 1


def test_a_killed_restore_is_begun_anew_and_a_newer_database_is_not_emptied(
    acme: Workspace, plan: Plan, elsewhere: Target
) -> None:
    """On Postgres the revision comes last, and only the newer version knows how to empty its tables."""
    file = backup.make(plan)
    restore(file, elsewhere)
    there = Target(elsewhere.url, elsewhere.instance, SECRET)
    with database_copy.connected(there.url) as connection:
        connection.exec_driver_sql("DELETE FROM alembic_version")
    restore(file, there, replace=True)
    assert rows(there.url) == rows(plan.url)
    with database_copy.connected(there.url) as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    if there.url.startswith("sqlite"):
        restore(file, there, replace=True)
        assert migrations.current(there.url) == migrations.newest()
    else:
        with pytest.raises(Conflict, match="the schema of a newer version"):
            restore(file, there, replace=True)
        assert len(rows(there.url)["workspace"]) == 1
