"""A company's website, read once for all its people: quotes with their page and the day of the reading."""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from app import ports
from app.core import text
from app.core.db import end_read, insert, session, transaction
from app.models.autopilot import CompanyReading
from app.models.workspaces import Workspace
from app.ports import ProviderError, Site

FRESH_FOR, TRY_AGAIN = timedelta(days=30), timedelta(days=3)  # after a reading, and after one that failed
LONGEST = 30.0  # seconds: the reader's own limit, and its last answer
MOST, SHORTEST, LONGEST_QUOTE = 12, 25, 240  # quotes, and their letters
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[^\W\d_a-zà-ÿ])")
_KINDS = ("home", "about", "customers", "product", "other", "pricing")  # pages that say most about a company come first
_NOISE = re.compile(
    r"cookie|privacy|datenschutz|©|copyright|all rights|newsletter|subscribe|log ?in|sign ?(?:in|up)|click|javascript|"
    r"terms of|https?:|www\.|\w@\w|[{}<>\\`|]|\?$",
    re.IGNORECASE,
)
_TELLING = re.compile(
    r"\b(?:(?:18|19|20)\d\d|since|founded|opened?|new|launch\w*|acqui\w+|award\w*|certif\w+|employ\w*|locations?|sites|"
    r"countries|seit|gegründet|eröffnet|neu\w*|mitarbeit\w*|standort\w*|depuis|fondée?|nouvel\w*|ouvert\w*|salarié\w*|"
    r"desde|fundad\w+|nuev\w+|empleados|sedes?|dal|fondata|nuov\w+|dipendenti|sinds|opgericht|nieuwe?|medewerkers|"
    r"vestigingen|fundada|nov[oa]s?|colaboradores)\b",
    re.IGNORECASE,
)


def read(workspace: Workspace, domain: str) -> Sequence[dict[str, Any]]:
    """Return the company's quotes, newly read when the last reading is too old; [] when its website can't be read.

    Calls out, so never in a transaction. A sandbox knows invented companies, so nothing is read for it.
    """
    if not domain or workspace.sandbox:
        return []
    kept, now = _stored_reading(workspace, domain), workspace.now()
    if kept is not None and now < kept.read_at + (TRY_AGAIN if kept.problem else FRESH_FOR):
        return list(kept.quotes)
    end_read()
    try:
        site, problem = ports.site_reader().read(domain, lambda url, pages: None), ""
    except ProviderError as failure:
        site, problem = None, failure.sentence
    quotes = [{**one, "date": f"{now:%Y-%m-%d}"} for one in quotes_of(site)] if site else []
    _keep(workspace, domain, quotes, problem, now)
    return quotes


def _stored_reading(workspace: Workspace, domain: str) -> CompanyReading | None:
    query = sa.select(CompanyReading).where(
        CompanyReading.workspace_id == workspace.id, CompanyReading.domain == domain
    )
    return session().scalars(query).one_or_none()


def _keep(workspace: Workspace, domain: str, quotes: list[Any], problem: str, at: datetime) -> None:
    row = {"quotes": quotes, "problem": problem, "read_at": at}
    added = insert(CompanyReading).values(workspace_id=workspace.id, domain=domain, **row)
    with transaction() as current:
        current.execute(added.on_conflict_do_update(index_elements=["workspace_id", "domain"], set_=row))


def quotes_of(site: Site) -> list[dict[str, str]]:
    """Return quotes in which a website describes its company; those with a year, a place or news come first."""
    found = dict.fromkeys(_passages(site))
    order = sorted(found, key=lambda one: not _TELLING.search(one[1]))
    return [{"page": page, "quote": quote} for page, quote in order[:MOST]]


def _passages(site: Site) -> Iterator[tuple[str, str]]:
    for page in sorted(site.pages, key=lambda one: _KINDS.index(one.kind) if one.kind in _KINDS else len(_KINDS)):
        lines = [page.description, *(one for line in page.text.splitlines() for one in _SENTENCE.split(line))]
        for line in lines:
            said = text.squeeze(text.whole(line).replace("\0", ""))
            whole = said.endswith((".", "!")) or line == page.description
            if SHORTEST <= len(said) <= LONGEST_QUOTE and whole and not _NOISE.search(said):
                yield page.url, said
