"""`overture letter` and `overture replies`: how letters are read; each loads what it needs when it runs."""

from datetime import datetime
from typing import Any

import click

from app.commands import WORKSPACE, opened, print_json


@click.command()
@click.argument("file", type=click.File("rb"))
@click.option("--own", default="", help="Your address, to recognize your own mail.")
@click.option("--at", type=click.DateTime(), default=None, help="When the reply arrived; defaults to its own date.")
@click.option("--sent", type=click.File(), default=None, help="A file with the message that was replied to.")
def letter(file: Any, own: str, at: datetime | None, sent: Any) -> None:
    """Print how a reply is interpreted, stage by stage; FILE is the raw email, - for stdin. Nothing is stored."""
    from app.core import clock
    from app.domain.replies import reading
    from app.domain.replies.reading import Letter
    from app.ports import Received
    from app.providers.mail import parsing

    raw = file.read()
    arrived = at.astimezone() if at else parsing.written_at(raw) or clock.now()
    for item in parsing.incoming(raw, arrived, own):
        if not isinstance(item, Received):
            kept = "" if getattr(item, "final", True) else " (the address may still work)"
            _stage("bounce", f"{item.person}: {getattr(item, 'sentence', '')}{kept}")  # no letter of a person
            continue
        ours = [sent.read()] if sent else []
        found = reading.read(Letter(item.text, arrived, item.subject, item.automatic, item.form, ours))
        about = [item.person, item.alias and f"replies to {item.alias}", item.form]
        about += ["sent by a machine" if item.automatic else "", item.token and f"answers {item.token}"]
        _stage("from", ", ".join(one for one in about if one))
        _stage("subject", item.subject)
        _stage("own words", found.own.said)
        _stage("signature", found.own.signature)
        _stage("quoted", found.own.quoted)
        _stage("is", f"{found.what}" + (f" ({found.sentiment})" if found.sentiment else ""))
        _stage("because", found.sentence)
        _stage("away until", f"{found.away_until:%Y-%m-%d}" if found.away_until else "")
        _stage("come back", f"{found.postponement.until}" if found.postponement else "")
        named = found.referral
        _stage("named", " ".join(part for part in (named.name, named.email, named.position) if part) if named else "")


def _stage(name: str, text: str) -> None:
    if text:
        first, *rest = text.split("\n")
        click.echo(f"{name + ':':<12}{first}")
        for line in rest:
            click.echo(f"{'':<12}{line}".rstrip())


@click.group()
def replies() -> None:
    """Replies that were received."""


@replies.command("read-again")
@WORKSPACE
@click.option("--apply", "act", is_flag=True, help="Apply the changes; by default, they are only listed.")
def read_again(workspace_id: int, act: bool) -> None:
    """Read earlier replies again and list missed and wrong opt-outs, as JSON lines.

    With --apply, people who opted out are added to the do-not-contact list, and uncertain replies become tasks. Remove
    wrong do-not-contact entries yourself.
    """
    from app.domain.tasks import reply_rereading
    from app.domain.workspace import workspaces

    with opened():
        workspace = workspaces.get(workspace_id)
        found = reply_rereading.apply(workspace) if act else list(reply_rereading.differences(workspace))
        for one in found:
            print_json(
                {"personId": one.person_id, "name": one.name, "conversationId": one.conversation_id}
                | {"what": one.what, "said": one.sentence}
            )
