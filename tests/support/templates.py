"""Migrated databases to copy, made once a run."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.postgres import Server

KINDS = ("sqlite", "postgres")


class Templates:
    """Migrated, empty databases to copy: made on first use, or by the process that started the workers."""

    def __init__(self) -> None:
        self.made: dict[str, str] = {}
        self._mine: list[str] = []
        self._server: Server | None = None

    def make(self, kind: str) -> str:
        """The template of that kind: a file's path, or a database's URL."""
        if kind not in self.made:
            self._mine.append(kind)
            self.made[kind] = self._make_sqlite() if kind == "sqlite" else self._make_postgres()
        return self.made[kind]

    def drop(self) -> None:
        """What this process made is gone, and so is the server it started."""
        if "sqlite" in self._mine:
            shutil.rmtree(Path(self.made["sqlite"]).parent, ignore_errors=True)
        if "postgres" in self._mine and "postgres" in self.made:
            import sqlalchemy as sa

            from tests.postgres import administer

            administer(self.made["postgres"], f'DROP DATABASE "{sa.make_url(self.made["postgres"]).database}"')
        if self._server:
            self._server.stop()

    def _make_sqlite(self) -> str:
        from app.core import migrations

        file = Path(tempfile.mkdtemp(prefix="overture-template-")) / "migrated.db"
        migrations.upgrade(f"sqlite:///{file}")
        return str(file)

    def _make_postgres(self) -> str:
        import sqlalchemy as sa

        from app.core import migrations
        from tests.postgres import Server, administer, text_of

        self._server = Server()
        url = sa.make_url(self._server.url).set(database=f"overture_template_{uuid.uuid4().hex[:12]}")
        administer(self._server.url, f'CREATE DATABASE "{url.database}" TEMPLATE template0')
        migrations.upgrade(text_of(url))
        return text_of(url)


TEMPLATES = Templates()
