"""Generate the cores of the clients from the API that the code declares: `tools/clients.py [python | document FILE]`.

They are not in git: every new endpoint would change tens of thousands of lines. A core is made again when the document
or how it is made has changed.
"""

import contextlib
import copy
import fcntl
import hashlib
import io
import json
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import openapi_python_client
from openapi_python_client.config import Config, ConfigFile, MetaType

from app import api
from app.api.framework.openapi import document

CLIENTS = Path(__file__).resolve().parent.parent / "clients"
PYTHON = CLIENTS / "python"
CORE = PYTHON / "overture_client" / "core"
STAMP = ".made-from"


def published() -> dict[str, Any]:
    """Return the document; each server publishes it with an address of its own."""
    return document(api.ENDPOINTS, "http://127.0.0.1:8000")


def python(source: dict[str, Any], templates: Path = PYTHON / "templates", core: Path = CORE) -> None:
    """Generate the core of the Python client, unless it is there already; raise ValueError if anything is left out."""
    grouped = by_operation_id(source)
    made_from = hashlib.sha256(json.dumps(grouped, sort_keys=True).encode())
    made_from.update(version("openapi-python-client").encode())
    for template in sorted(templates.iterdir()):
        made_from.update(template.read_bytes())
    with alone(templates.with_name(".lock")):
        stamp = core / STAMP
        if stamp.exists() and stamp.read_text() == made_from.hexdigest():
            return
        new = core.with_name("core-new")
        shutil.rmtree(new, ignore_errors=True)
        generate(grouped, templates, new)
        (new / STAMP).write_text(made_from.hexdigest())
        shutil.rmtree(core, ignore_errors=True)
        new.rename(core)


def by_operation_id(source: dict[str, Any]) -> dict[str, Any]:
    """Return the document with operations grouped by their names: `lists.create` becomes `overture.lists.create`."""
    found = copy.deepcopy(source)
    for operations in found["paths"].values():
        for one in operations.values():
            one["tags"] = [one["operationId"].partition(".")[0]]
    return found


def generate(source: dict[str, Any], templates: Path, to: Path) -> None:
    """Generate a package with openapi-python-client."""
    file = to.with_suffix(".json")
    file.write_text(json.dumps(source))
    settings = ConfigFile(project_name_override="core", package_name_override="core", post_hooks=[])
    config = Config.from_sources(settings, MetaType.NONE, file, "utf-8", overwrite=True, output_path=to)
    with contextlib.redirect_stdout(io.StringIO()):  # it names the folder
        problems = openapi_python_client.generate(config=config, custom_template_path=templates)
    file.unlink()
    if problems:
        raise ValueError("\n".join(f"{one.header} {one.detail}" for one in problems))


@contextlib.contextmanager
def alone(path: Path) -> Iterator[None]:
    """Wait until no other process does this."""
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def main(words: list[str]) -> int:
    """Make what is asked for."""
    match words:
        case ["python"]:
            python(published())
        case ["document", file]:
            Path(file).write_text(json.dumps(published(), indent=1))
        case _:
            raise SystemExit(__doc__)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
