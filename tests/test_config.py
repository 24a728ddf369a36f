"""Settings: defaults, files for secrets, and values that must not run."""

from pathlib import Path
from typing import Any

import pytest

from app import config
from app.config import UnsafeSetting
from app.core import installation

SECRET = "a secret as long as a secret must be"


def load(tmp_path: Path, **environ: str) -> dict[str, Any]:
    """The settings of an environment that says nothing else."""
    return config.load({"OVERTURE_INSTANCE": str(tmp_path), **environ})


def test_no_setting_has_to_be_given(tmp_path: Path) -> None:
    """Nothing has to be set: an SQLite file, a kept secret, the address of this machine."""
    settings = load(tmp_path)
    assert settings["DATABASE_URL"] == f"sqlite:///{tmp_path / 'overture.db'}"
    assert settings["BASE_URL"] == "http://127.0.0.1:8000"
    assert len(settings["SECRET_KEY"]) >= 32
    assert load(tmp_path)["SECRET_KEY"] == settings["SECRET_KEY"]
    assert (tmp_path / "secret_key").stat().st_mode & 0o077 == 0


def test_the_port_is_part_of_the_address_and_postgres_is_reached_through_our_driver(tmp_path: Path) -> None:
    assert load(tmp_path, PORT="9000")["BASE_URL"] == "http://127.0.0.1:9000"
    for scheme in ("postgres", "postgresql"):
        settings = load(tmp_path, DATABASE_URL=f"{scheme}://ada@db.example/overture")
        assert settings["DATABASE_URL"] == "postgresql+psycopg://ada@db.example/overture"


def test_a_secret_can_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "mounted").write_text(SECRET + "\n")
    assert load(tmp_path, SECRET_KEY_FILE=str(tmp_path / "mounted"))["SECRET_KEY"] == SECRET


def test_older_secrets_are_several(tmp_path: Path) -> None:
    """The latest first; none by default, and none is told when one is wrong."""
    older = f" {SECRET} one,{SECRET}%2C two,, "
    assert load(tmp_path, OVERTURE_OLD_SECRET_KEYS=older)["OVERTURE_OLD_SECRET_KEYS"] == (
        f"{SECRET} one",
        f"{SECRET}, two",
    )
    assert load(tmp_path)["OVERTURE_OLD_SECRET_KEYS"] == ()
    with pytest.raises(UnsafeSetting) as caught:
        load(tmp_path, OVERTURE_OLD_SECRET_KEYS=f"{SECRET},short")
    assert SECRET not in str(caught.value)


def test_a_value_that_must_not_run_refuses_with_a_sentence(tmp_path: Path) -> None:
    """Which does not repeat a secret."""
    for environ, says in [
        ({"SECRET_KEY": "short"}, "SECRET_KEY"),
        ({"SECRET_KEY": "a" * 64}, "SECRET_KEY"),
        ({"OVERTURE_OLD_SECRET_KEYS": "a key with, a comma, longer than a secret must be"}, "%2C"),
        ({"DATABASE_URL": "mysql://db.example/overture"}, "DATABASE_URL"),
        ({"PORT": "http"}, "PORT"),
        ({"PORT": "70000"}, "PORT"),
        ({"BASE_URL": "outreach.example.com"}, "BASE_URL"),
        ({"OVERTURE_THREADS": "0"}, "OVERTURE_THREADS"),
        ({"OVERTURE_MODEL_URL": "http://127.0.0.1:11434/v1"}, "OVERTURE_MODEL_NAME"),
        ({"OVERTURE_GOOGLE_CLIENT_ID": "an-id"}, "OVERTURE_GOOGLE_CLIENT_SECRET"),
        ({"OVERTURE_MICROSOFT_TENANT": "acme/../common"}, "OVERTURE_MICROSOFT_TENANT"),
        ({"OVERTURE_RATE_LIMIT": "maybe"}, "OVERTURE_RATE_LIMIT"),
        ({"OVERTURE_MAIL_URL": "smtp://host"}, "OVERTURE_MAIL_FROM"),
        ({"OVERTURE_MAIL_URL": "http://host", "OVERTURE_MAIL_FROM": "a@b.example"}, "smtp://user"),
        ({"OVERTURE_MAIL_URL": "smtps://host:587", "OVERTURE_MAIL_FROM": "a@b.example"}, "465"),
        ({"OVERTURE_MAIL_URL": "smtp://host", "OVERTURE_MAIL_FROM": "nobody"}, "OVERTURE_MAIL_FROM"),
        ({"OVERTURE_ALLOW_PRIVATE_NETWORK": "1", "BASE_URL": "https://outreach.example.com"}, "internal network"),
        (
            {"OVERTURE_DEVELOPMENT": "1", "OVERTURE_HOST": "0.0.0.0", "BASE_URL": "http://outreach.example.com"},
            "OVERTURE_DEVELOPMENT",
        ),
    ]:
        with pytest.raises(UnsafeSetting, match=says):
            load(tmp_path, **environ)
    with pytest.raises(UnsafeSetting) as refusal:
        load(tmp_path, OVERTURE_MAIL_URL="smtp://ada:pass/word@host", OVERTURE_MAIL_FROM="a@b.example")
    assert "word" not in str(refusal.value).replace("password", "")


def test_a_mistyped_name_is_noticed_and_harms_nothing() -> None:
    environ = {"OVERTURE_THREDS": "8", "OVERTURE_THREADS": "8", "OVERTURE_LOG_FILE": "x", "PATH": "/bin"}
    assert config.unknown(environ) == ["OVERTURE_THREDS"]


def test_recipients_can_open_pages_at_public_https_addresses_alone() -> None:
    for url, opens in [
        ("https://outreach.example.com", True),
        ("https://[2606:4700::1111]", True),
        ("http://outreach.example.com", False),
        ("https://127.0.0.1:8000", False),
        ("https://192.168.1.5", False),
        ("https://overture", False),
        ("https://overture.local", False),
    ]:
        assert config.called_at({"BASE_URL": url, "OVERTURE_ALLOW_PRIVATE_NETWORK": False}) == (url if opens else "")
        installation.serve_at(url, 1)
        assert bool(installation.no_links([0, "email"])) is not opens, url
    installation.serve_at("http://127.0.0.1:8000", 0)
    assert installation.no_links([]) == ""
