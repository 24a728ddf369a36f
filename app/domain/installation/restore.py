"""Restore: a backup becomes this installation's database, and stays held until a person releases it."""

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from app.core import clock, database_copy, migrations
from app.core.crypto import Keyring
from app.core.database_copy import DamagedCopy, ProgramFailed
from app.core.errors import Conflict, InvalidRequest, NotSupported, Unavailable
from app.domain.installation import backup, backup_archive, table_rows
from app.domain.installation.backup_archive import Manifest
from app.domain.platform import audit_heads, restore_hold, secret_files
from app.models.platform.installation import Restore
from app.models.workspaces import Workspace


@dataclass(frozen=True)
class Target:
    """Where a backup is restored to, and the secret key that this installation already has ('' for none)."""

    url: str
    instance: Path
    secret: str


def restore(file: Path, target: Target, *, replace: bool = False, without_secret: bool = False) -> Manifest:
    """Restore the backup into an empty database; with `replace`, into a filled one too.

    Everything is read and checked before anything is changed. The hold is stored with the data, so nothing is sent.
    """
    manifest = backup_archive.read_manifest(file)
    _refuse_others(manifest, target)
    secret, older = backup_archive.read_secrets(file)
    _refuse_secret(manifest, target, secret, without_secret)
    if not replace:
        _refuse_filled(target.url)
    _refuse_newer(target.url)
    try:
        with _work(target) as work:
            database = Path(work) / "database"
            backup_archive.extract_database(file, database)
            if backup.count(manifest, database) != manifest.rows:
                raise DamagedCopy("rows are missing")
            if manifest.kind == "sqlite":
                _refuse_code(manifest, database)
            if secret and not target.secret:
                _keep(target.instance / "secret_key", secret)
            if older:
                _keep(target.instance / "old_secret_keys", older)
            if manifest.kind == "sqlite":
                _load_sqlite(manifest, database, target.url)
            elif manifest.kind == "rows":
                _load_rows(manifest, database, target.url)
            else:
                _load_postgres(manifest, database, target.url)
            secret_files.replace(audit_heads.file_of(target.instance, target.url), "")  # its audit logs end earlier
    except DamagedCopy as problem:
        raise InvalidRequest(f"{file} is damaged: {problem}.", "Choose another backup.") from problem
    except ProgramFailed as problem:
        raise Unavailable(f"The backup could not be restored. pg_restore says: {problem}") from problem
    return manifest


def _refuse_others(manifest: Manifest, target: Target) -> None:
    """Refuse a backup of another kind of database, or of a newer version."""
    dialect = sa.make_url(target.url).get_backend_name()
    if manifest.dialect != dialect:
        raise NotSupported(
            f"This is a backup from {manifest.dialect}, but DATABASE_URL is {dialect}.",
            f"Restore the backup into {manifest.dialect}, then move the database with `overture db copy`.",
        )
    if manifest.revision > (migrations.newest() or ""):
        raise NotSupported(
            f"This backup was made by a newer version ({manifest.version}).", "Install that version, or a later one."
        )
    if manifest.kind == "rows" and manifest.revision != migrations.newest():
        raise NotSupported(
            f"This backup is from version {manifest.version}, which has a different schema.",
            "Restore the backup with that version, then upgrade.",
        )
    migrations.refuse_older(manifest.revision)
    if manifest.revision not in migrations.revisions():
        raise NotSupported("No version of Overture has the schema of this backup.", "Choose another backup.")


def _refuse_code(manifest: Manifest, database: Path) -> None:
    """Refuse an SQLite database with a trigger or view that is not Overture's: its code would run on this server."""
    if migrations.current(f"sqlite:///{database}") != manifest.revision:
        raise DamagedCopy("its schema is from another version")
    plain = database.with_name("schema")
    migrations.upgrade(f"sqlite:///{plain}", manifest.revision)
    ours = database_copy.sqlite_code(plain)
    strange = sorted(name for name, sql in database_copy.sqlite_code(database).items() if ours.get(name) != sql)
    if strange:
        raise InvalidRequest(
            f"The backup has triggers or views that Overture didn't create: {', '.join(strange)}.",
            "Remove these triggers and views from the original database, or choose another backup.",
        )


def _refuse_secret(manifest: Manifest, target: Target, inside: str, without_secret: bool) -> None:
    """Refuse a restore whose secrets could not be decrypted, or that would replace a different secret key."""
    present = target.secret
    if present and Keyring(present).newest.hex() == manifest.key:
        return
    if present and (inside or not without_secret):
        raise Conflict(
            "This server's SECRET_KEY differs from the backup's.",
            "Remove this server's key if nothing else needs it: the setting, or secret_key in the instance folder.",
        )
    if not (inside or without_secret):
        raise InvalidRequest(
            "The backup has no secret key, and this server has none.",
            "Set SECRET_KEY to the old key, or continue with --without-secret and enter passwords and keys again.",
        )


def _refuse_filled(url: str) -> None:
    if url.startswith("sqlite") and not database_copy.sqlite_file(url).exists():
        return
    with database_copy.connected(url) as connection:
        there = Workspace.__tablename__ in database_copy.tables(connection)
        if there and connection.execute(sa.select(Workspace.id).limit(1)).first():
            raise Conflict(
                "The database is not empty.", "Set DATABASE_URL to an empty database, or add --replace to overwrite."
            )


def _refuse_newer(url: str) -> None:
    """Refuse a Postgres database of a newer version, whose tables this one can't remove."""
    if not url.startswith("sqlite") and (migrations.current(url) or "") > (migrations.newest() or ""):
        raise Conflict("The database has the schema of a newer version.", "Set DATABASE_URL to an empty database.")


def _work(target: Target) -> tempfile.TemporaryDirectory[str]:
    target.instance.mkdir(parents=True, exist_ok=True)
    return tempfile.TemporaryDirectory(prefix=".restoring-", dir=target.instance)


def _keep(file: Path, text: str) -> None:
    """Write a secret into a file of its own; refuse to overwrite another."""
    try:
        handle = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        if file.read_text().strip() != text:
            raise Conflict(f"{file} has a different secret.", "Remove the file if nothing else needs it.") from None
        return
    with os.fdopen(handle, "w") as opened:
        opened.write(text)


def _load_sqlite(manifest: Manifest, database: Path, url: str) -> None:
    """Migrate the database file and set its hold, then replace the old file in one step."""
    own = f"sqlite:///{database}"
    migrations.upgrade(own)
    with database_copy.connected(own) as connection:
        _hold(connection, manifest)
    target = database_copy.sqlite_file(url)
    target.parent.mkdir(parents=True, exist_ok=True)
    database_copy.copy_sqlite(database, target)


def _load_postgres(manifest: Manifest, database: Path, url: str) -> None:
    """Restore all but the schema revision, without which no process starts; then write it together with the hold."""
    with database_copy.connected(url) as connection:
        program = database_copy.postgres_program("pg_restore", database_copy.server_version(connection))
    if program is None:
        raise Unavailable("pg_restore is missing, or older than Postgres.", "Install the same version as Postgres.")
    _empty_postgres(manifest, url)
    database_copy.load_postgres(program, url, database, without=migrations.VERSIONS.name)
    with database_copy.connected(url) as connection:
        connection.execute(sa.insert(migrations.VERSIONS).values(version_num=manifest.revision))
        _hold(connection, manifest)
    migrations.upgrade(url)


def _load_rows(manifest: Manifest, database: Path, url: str) -> None:
    """Insert the rows and the hold in one transaction."""
    _empty_postgres(manifest, url)
    migrations.upgrade(url)
    with database_copy.connected(url) as connection:
        for table, rows in table_rows.read_file(database):
            table_rows.write(connection, table, rows)
        table_rows.set_last_ids(connection, manifest.last_ids)
        _hold(connection, manifest)


def _empty_postgres(manifest: Manifest, url: str) -> None:
    """Remove all tables of ours."""
    with database_copy.connected(url) as connection:
        made = migrations.VERSIONS.name in database_copy.tables(connection)
        if made and connection.scalar(sa.select(migrations.VERSIONS)) is None:  # an earlier restore was killed
            connection.execute(sa.insert(migrations.VERSIONS).values(version_num=manifest.revision))
    if made:
        migrations.downgrade(url, "base")
        with database_copy.connected(url) as connection:
            connection.exec_driver_sql(f"DROP TABLE {migrations.VERSIONS.name}")


def _hold(connection: sa.Connection, manifest: Manifest) -> None:
    connection.execute(sa.insert(Restore).values(**restore_hold.enter(manifest.moment, clock.now())))
