"""The version is the same wherever it is read, and CHANGELOG.md tells of every change of the schema."""

import hashlib
import json
import re
import sqlite3
import tomllib
from contextlib import closing
from importlib import metadata
from pathlib import Path

from click.testing import CliRunner

from app.cli import overture
from app.core import migrations
from app.core.installation import VERSION
from tests.databases import template
from tests.support.clients import Client

ROOT = Path(__file__).parent.parent
SECTION = re.compile(r"^## (.+)\n\n(?:Database schema (\w+), fingerprint (\w+)\.\n)?", re.MULTILINE)
SCHEMA = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'fulltext_%' ORDER BY type, name"


def test_package_command_health_interface_and_clients_have_one_version(client: Client) -> None:
    """`pip install` of a wheel installs nothing where the same version is installed already."""
    assert metadata.version("overture") == VERSION
    assert CliRunner().invoke(overture, ["--version"]).stdout.strip() == VERSION
    assert client.get("/healthz").json["version"] == VERSION
    assert client.get("/v1/openapi.json").json["info"]["version"] == VERSION
    assert tomllib.loads((ROOT / "clients/python/pyproject.toml").read_text())["project"]["version"] == VERSION
    for package in ("clients/typescript", "integrations/n8n"):
        for file in ("package.json", "package-lock.json"):
            assert json.loads((ROOT / package / file).read_text())["version"] == VERSION


def test_a_change_of_the_schema_is_in_the_changelog_of_its_version() -> None:
    """Who upgrades reads there that it changes; and a version that was released keeps its schema."""
    sections = SECTION.findall((ROOT / "CHANGELOG.md").read_text())
    version, *known = sections[0]
    schema = [migrations.newest(), fingerprint(template("sqlite"))]
    assert (version, known) == (VERSION, schema), (
        f"CHANGELOG.md must begin with `## {VERSION}` and `Database schema {schema[0]}, fingerprint {schema[1]}.` "
        "Raise VERSION in app/core/installation.py first if this version was released with another schema."
    )
    schemas = [one for _, *one in sections if one[0]]
    assert len({tuple(one) for one in schemas}) == len(schemas)


def fingerprint(file: str) -> str:
    """Return a short digest of every table, index and trigger, in whichever order a table names its constraints."""
    with closing(sqlite3.connect(file)) as connection:
        statements = [" ".join(sorted(re.split(r"[\s,()]+", sql))) for (sql,) in connection.execute(SCHEMA)]
    return hashlib.sha256("\n".join(statements).encode()).hexdigest()[:8]
