"""deploy/compose.yaml: web without an engine, worker, migration, Postgres and Caddy, with as few rights as they can.

compose-spec.json is https://github.com/compose-spec/compose-spec/blob/170098b/schema/compose-spec.json under the Apache
License 2.0, which stands beside it.
"""

import json
import os
import re
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from app.cli import overture
from app.config import SETTINGS
from tests.databases import empty_postgres
from tests.deploy.image import ROOT, Image
from tests.deploy.programs import until
from tests.support.processes import SECRET, free_port

DEPLOY = ROOT / "deploy"
FILE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = FILE["services"]
OURS = ("migrate", "web", "worker")
SCHEMA = json.loads((Path(__file__).parent / "compose-spec.json").read_text())


def test_the_file_is_what_the_compose_specification_says() -> None:
    jsonschema.Draft7Validator(SCHEMA).validate(FILE)


def test_services_are_pinned_and_have_no_rights_to_gain() -> None:
    """Each on a read-only file system, of a version or built here."""
    for name, service in SERVICES.items():
        assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"]), name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service.get("cap_add", []) == (["NET_BIND_SERVICE"] if name == "caddy" else []), name
        assert not {"privileged", "pid", "network_mode", "devices"} & set(service), name
        if name in OURS:
            assert (DEPLOY / service["build"]["context"]).resolve() == ROOT
            assert (ROOT / service["build"]["dockerfile"]).is_file()
        else:
            assert re.fullmatch(r"[a-z]+:\d+[\w.]*-\w+", service["image"]), name


def test_only_caddy_can_be_reached_from_outside() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["caddy"]
    assert FILE["networks"]["data"]["internal"] is True
    assert SERVICES["postgres"]["networks"] == ["data"]


def test_settings_exist_and_secrets_come_from_files() -> None:
    known = {setting.name for setting in SETTINGS}
    for name in OURS:
        settings = SERVICES[name]["environment"]
        assert {key.removesuffix("_FILE") for key in settings} <= known
        for key in ("DATABASE_URL", "SECRET_KEY"):
            assert settings[f"{key}_FILE"] == f"/run/secrets/{key.lower()}"
            assert key.lower() in SERVICES[name]["secrets"]
        assert settings["OVERTURE_TRUSTED_PROXIES"] == "1", "Caddy is in front."


def test_what_is_named_is_declared_and_what_is_declared_is_used() -> None:
    volumes = {volume.partition(":")[0] for service in SERVICES.values() for volume in service.get("volumes", [])}
    assert {name for name in volumes if not name.startswith(".")} == set(FILE["volumes"])
    assert {name for service in SERVICES.values() for name in service.get("secrets", [])} == set(FILE["secrets"])
    assert all((DEPLOY / name).exists() for name in volumes if name.startswith("."))


def test_the_schema_is_new_before_commands_of_overture_work_on_it() -> None:
    assert SERVICES["migrate"]["restart"] == "no"
    assert SERVICES["migrate"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    for name in ("web", "worker"):
        assert SERVICES[name]["depends_on"] == {"migrate": {"condition": "service_completed_successfully"}}
    for name in ("migrate", "worker"):
        program, *words = SERVICES[name]["command"]
        assert program == "overture"
        command: Any = overture
        for word in words:
            command = command.commands[word]


def test_files_that_an_installation_keeps_are_not_committed() -> None:
    ignored = (DEPLOY / ".gitignore").read_text().splitlines()
    files = {Path(secret["file"]).parts[0] + "/" for secret in FILE["secrets"].values()}
    files |= {each["path"] for name in OURS for each in SERVICES[name]["env_file"]}
    assert files | {".env"} <= set(ignored)


def test_the_services_work_together_on_an_empty_postgres(image: Image, tmp_path: Path) -> None:
    """As the user of these tests, who alone may enter the folder of the database's socket."""
    image = replace(image, user=f"{os.geteuid()}:{os.getegid()}")
    port = str(free_port())
    (tmp_path / "secret_key").write_text(SECRET)
    settings = {
        key: value.replace("${DOMAIN:?Set DOMAIN in deploy/.env}", "outreach.example.com").replace(
            "/run/secrets", str(tmp_path)
        )
        for key, value in SERVICES["web"]["environment"].items()
    }
    healthcheck = [word.replace("8000", port) for word in image.healthcheck]
    web = [word.replace("8000", port).replace("0.0.0.0", "127.0.0.1") for word in SERVICES["web"]["command"]]
    log = tmp_path / "log"
    with ExitStack() as stack:
        (tmp_path / "database_url").write_text(stack.enter_context(empty_postgres()))
        migrated = image.run(SERVICES["migrate"]["command"], settings)
        assert migrated.returncode == 0, migrated.stderr
        output = stack.enter_context(log.open("w"))
        worker = stack.enter_context(image.running(SERVICES["worker"]["command"], settings, output))
        pages = stack.enter_context(image.running(web, settings, output))
        until(lambda: image.run(healthcheck, {}).returncode == 0, pages, log)
        doctor = image.run(["overture", "doctor", "--offline"], settings)
        assert "!!" not in doctor.stdout, doctor.stdout
        for process in (pages, worker):
            process.terminate()
            assert process.wait(timeout=300) == 0, log.read_text()
    assert "Traceback" not in log.read_text()
