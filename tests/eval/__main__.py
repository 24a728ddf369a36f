"""Measure the autopilot on real websites: `make eval`, or `python -m tests.eval --help`."""

import argparse
import os
import sys
from collections.abc import Sequence, Set
from itertools import zip_longest
from pathlib import Path

from app.ports.writer import Writer
from app.providers.http import HttpClient
from app.providers.model import ChatModel
from app.providers.website import WebsiteReader
from app.providers.writer import BuiltInWriter, ModelWriter
from tests.eval import measure, rules
from tests.eval.material import PAGES, Labelled, Sentence, digest, present, sentences, served, wishes
from tests.providers.website.websites import Web

MISSING = "No pages in {folder}. Bring them with: python -m tests.eval.collect"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures, for the websites that may be looked at and for those that may not."""
    given = _arguments(arguments)
    found = chosen(given.pages, given.only, fresh=given.fresh)
    if not found:
        sys.stderr.write(MISSING.format(folder=given.pages) + "\n")
        return 2
    writer = _model() if given.model else BuiltInWriter()
    web = Web(served(given.pages))
    try:
        if given.read:
            told = aloud(found, writer, web.reader(), given.pages, given.read, unseen=bool(given.only))
        else:
            told = report(found, writer, web.reader(), given.pages, measure.PLAYS, given.show)
    finally:
        web.stop()
    sys.stdout.write(told)
    return 0


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make eval ARGS=...")
    parser.add_argument("--pages", type=Path, default=PAGES, help="where the pages lie")
    parser.add_argument("--only", type=lambda listed: listed.split(","), default=[], help="these websites alone")
    parser.add_argument("--fresh", action="store_true", help="the websites that were added last, and no others")
    parser.add_argument("--show", action="store_true", help="list what went wrong, of the websites that may be seen")
    parser.add_argument(
        "--read", type=int, default=0, help="print that many messages, to be read aloud, and no figures"
    )
    parser.add_argument("--model", action="store_true", help="write with the model of OVERTURE_MODEL_URL and _NAME")
    return parser.parse_args(arguments)


def chosen(pages: Path, only: Sequence[str], *, fresh: bool) -> list[Labelled]:
    """Return the websites to measure: those that are named, or else the fresh ones or the others."""
    lying = present(pages)
    return [one for one in lying if (one.slug in only if only else bool(one.fresh) is fresh)]


def _model() -> Writer:
    """Return the writer with the model that the environment names."""
    url, name = os.environ["OVERTURE_MODEL_URL"], os.environ["OVERTURE_MODEL_NAME"]
    key = os.environ.get("OVERTURE_MODEL_KEY", "")
    return ModelWriter(ChatModel(HttpClient(allow_private=True), url, key, name, 0), BuiltInWriter())


def aloud(
    several: Sequence[Labelled], writer: Writer, reader: WebsiteReader, pages: Path, many: int, *, unseen: bool
) -> str:
    """Return messages of as many websites as there are, those of the unseen ones only when they were asked for."""
    outcomes = [measure.reading(one, writer, reader, pages) for one in several if unseen or not one.unseen]
    each = [[(one, text) for text in sorted(one.messages, key=lambda text: digest(text.encode()))] for one in outcomes]
    turns = [message for turn in zip_longest(*each) for message in turn if message]
    return "\n\n".join(f"## {one.site.slug}: {one.site.sells}\n{text}" for one, text in turns[:many]) + "\n"


def report(
    several: Sequence[Labelled],
    writer: Writer,
    reader: WebsiteReader,
    pages: Path,
    plays: int = measure.PLAYS,
    *,
    show: bool,
) -> str:
    """Return the figures as a table, and after it what went wrong."""
    outcomes = [measure.reading(one, writer, reader, pages, plays) for one in several]
    parts = [[one for one in outcomes if one.site.unseen is unseen] for unseen in (False, True)]
    profiles = {one.site.slug: one.profile for one in outcomes if not one.unread}
    marks = {one.fresh for one in several}
    known = [(parts[0], marks & {""}), (parts[1], marks - {""})]
    checked = [measure.checking(about(*one), writer, profiles.get, pages) for one in known]
    lines = [_line(f"written by {writer.name}", f"seen ({len(parts[0])})", f"unseen ({len(parts[1])})")]
    lines += [_line(name, *(figure(part) for part in parts)) for name, figure in measure.rows(outcomes, writer.name)]
    claims = [measure.claims(part) for part in checked]
    lines += [_line(name, claims[0][name], claims[1][name]) for name in claims[0]]
    granted = measure.granting(wishes(), writer)
    lines += [_line(name, figure, "") for name, figure in measure.wished(granted).items()]
    if show:
        lines += ["", *_shown(parts[0], checked[0], granted)]
    return "\n".join(lines) + "\n"


def about(part: Sequence[measure.Outcome], marks: Set[str]) -> list[Sentence]:
    """Return the sentences that speak of these websites, and those about recipients with one of the marks."""
    known = {one.site.slug for one in part}
    return [one for one in sentences() if one.site in known or (not one.site and one.fresh in marks)]


def _line(name: str, first: str, second: str) -> str:
    return f"{name:<36}{first:>20}{second:>20}".rstrip()


def _shown(
    outcomes: Sequence[measure.Outcome], checked: Sequence[measure.Checked], granted: Sequence[measure.Granted]
) -> list[str]:
    lines = []
    for one in outcomes:
        wrong = [
            *([f"unread: {one.unread}"] if one.unread else []),
            *([f"name {one.name!r}"] if not one.unread and not rules.name_right(one.site, one.name) else []),
            *([f"offer {one.offer!r}"] if one.standing == "wrong" else []),
            *([f"language {one.language}"] if one.language not in ("", one.site.language) else []),
            *sorted({f"false {phrase!r}" for found in one.false.values() for phrase in found}),
        ]
        if wrong:
            lines.append(f"{one.site.slug}: {', '.join(wrong)}")
    for check in checked:
        if check.flagged is check.sentence.supported:
            lines.append(f"{'objected to' if check.flagged else 'let through'}: {check.sentence.text}")
    lines += [f"{one.outcome}{' and broken' * one.broken}: {one.wish.text} → {one.reply}" for one in granted]
    return lines


if __name__ == "__main__":
    sys.exit(main())
