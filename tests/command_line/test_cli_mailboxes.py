"""`overture mailbox connect` for a real mailbox: tried first, and its password in no argument."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import Result

from tests.command_line.test_cli import CREATE, Command, command, env, here, rows
from tests.providers.mail.mailservers import Post, Servers
from tests.providers.nameserver import Nameserver

__all__ = ["command", "env"]


@pytest.fixture
def servers() -> Iterator[Servers]:
    """A mailbox whose user name is its address."""
    running = Servers(Post(username="ines@acme.example"))
    yield running
    running.close()


def connect(command: Command, *arguments: object) -> Result:
    usual = ("--workspace", here(command), "--provider", "smtp", "--address", "ines@acme.example")
    return command("mailbox", "connect", *usual, *arguments)


def options(servers: Servers, folder: Path, password: str) -> list[str]:
    """Where the servers are, and a file with the password."""
    secret = folder / "password"
    secret.write_text(password + "\n")
    return [
        *("--smtp-host", "127.0.0.1", "--smtp-port", str(servers.smtp_port)),
        *("--imap-host", "127.0.0.1", "--imap-port", str(servers.imap_port)),
        *("--name", "Ines Duarte", "--password-file", str(secret)),
    ]


def test_a_mailbox_is_connected_gets_another_login_and_its_domain_is_looked_up(
    command: Command, env: dict[str, str], servers: Servers, tmp_path: Path
) -> None:
    """The database has no password that can be read; a check is one line for each record, and an exit status."""
    names = Nameserver({})
    env |= {"OVERTURE_ALLOW_PRIVATE_NETWORK": "1", "OVERTURE_DNS": names.place}
    command(*CREATE)
    made = connect(command, *options(servers, tmp_path, "an app password"))
    assert made.exit_code == 0, made.output
    mailbox = json.loads(made.stdout)["mailboxId"]
    ((name, provider, cursor),) = rows(env, "SELECT name, provider, inbound_cursor FROM account")
    assert (name, provider, cursor.partition(";")[0]) == ("Ines Duarte", "smtp", "7:0")
    assert all(b"an app password" not in path.read_bytes() for path in tmp_path.glob("overture.db*"))
    servers.post.password = "another app password"
    again = connect(command, "--again", mailbox, *options(servers, tmp_path, "another app password"))
    assert json.loads(again.stdout) == json.loads(made.stdout)
    wrong = connect(command, "--again", mailbox, *options(servers, tmp_path, "canary"), "--auth", "google")
    assert wrong.exit_code == 2
    assert "clientId: " in wrong.stderr
    assert "canary" not in wrong.stderr
    assert rows(env, "SELECT count(*) FROM mailbox_login") == [(1,)]
    checked = command("mailbox", "check", "--workspace", here(command), "--mailbox", mailbox)
    names.close()
    assert checked.exit_code == 1
    expected = ["MX: bad", "SPF: bad", "DKIM: open", "DMARC: bad", "Block lists: good"]
    assert [line.split(".")[0] for line in checked.stdout.splitlines()] == expected


def test_what_is_wrong_is_one_sentence(command: Command, env: dict[str, str], servers: Servers, tmp_path: Path) -> None:
    """On standard error, with status 2, and nothing is kept."""
    command(*CREATE)
    private = connect(command, *options(servers, tmp_path, "an app password"))
    assert (private.exit_code, private.stdout) == (2, "")
    assert "public internet" in private.stderr or "is not allowed" in private.stderr
    env["OVERTURE_ALLOW_PRIVATE_NETWORK"] = "1"
    wrong = connect(command, *options(servers, tmp_path, "canary"))
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert "rejected this user name and password" in wrong.stderr
    assert "canary" not in wrong.stderr
    nothing = connect(command)
    assert nothing.exit_code == 2
    assert "smtpHost: " in nothing.stderr
    assert "password: " in nothing.stderr
    assert rows(env, "SELECT id FROM account") == []
