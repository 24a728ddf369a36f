"""What people write, in many languages and about bounces, absences and machines: never taken for a machine's mail."""

from datetime import UTC, datetime
from itertools import dropwhile
from pathlib import Path

from app.domain.replies import reading
from app.domain.replies.reading import Letter
from app.ports import Received
from app.providers.mail import parsing

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
WRITTEN = Path(__file__).with_name("human_replies.txt").read_text().split("\n=====\n")
USUAL = {
    "From": "Ada Lovelace <ada@people.example>",
    "To": "Ines Duarte <ines@acme.example>",
    "Subject": "Re: A question",
    "Return-Path": "<ada@people.example>",
    "In-Reply-To": "<0123456789abcdef0123456789abcdef@acme.example>",
    "Content-Type": "text/plain; charset=utf-8",
}


def mail(written: str) -> bytes:
    """A message of these words; lines that begin with a bar are headers, one without a value is left out."""
    lines = written.split("\n")
    words = [*dropwhile(lambda line: line.startswith("| "), lines)]
    named = (line[2:].partition(":") for line in lines[: len(lines) - len(words)])
    headers = USUAL | {name: value.strip() for name, _, value in named}
    head = "".join(f"{name}: {value}\n" for name, value in headers.items() if value)
    return f"{head}\n{chr(10).join(words)}".encode()


def test_a_person_is_never_taken_for_a_machine() -> None:
    """Neither for a bounce, whatever they mention or quote; and what they wrote is kept."""
    assert len(WRITTEN) >= 50
    for written in WRITTEN:
        [found] = parsing.incoming(mail(written), AT, "ines@acme.example")
        assert isinstance(found, Received), written
        assert not found.automatic, written
        assert reading.read(Letter(found.text, AT, found.subject)).is_reply, written
        assert found.text
