"""Whom a file that is imported says must not be contacted: asked about, and entered into the do-not-contact list."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from app.core import text
from app.core.errors import InvalidRequest
from app.domain.leads.imports.opt_outs import FILE, Meaning, Reader, Said, Sign, Survey
from app.domain.people import people
from app.domain.people.exclusions import never_contact
from app.domain.people.people import ProfileFields
from app.domain.platform.csv_files import Row
from app.models.leads import LeadImport, LeadList, NeverContactKind
from app.models.people import IdentityKind
from app.models.workspaces import Workspace

CONTACT, NEVER, BOUNCED = "contact", "doNotContact", "bounced"
MEANINGS = {CONTACT: Meaning.FINE, NEVER: Meaning.NEVER, BOUNCED: Meaning.DEAD}
"""What a member can say that a value means, as `/v1` and the pages write it."""
ANSWERS = {meaning: name for name, meaning in MEANINGS.items()}
_CALLED = {FILE: "The file's name"}


def reader(found: LeadImport, into: LeadList, skipped: Iterable[int]) -> Reader:
    """Return what reads the file's rows, by what a member said that values mean; `skipped` are columns of names."""
    answers = {
        column: {value: MEANINGS[said] for value, said in values.items() if said in MEANINGS}
        for column, values in (found.consent or {}).items()
    }
    return Reader(found.header, found.file_name, into.name, skipped, answers)


def survey(found: LeadImport, into: LeadList, skipped: Iterable[int], rows: Iterable[Row]) -> None:
    """Read the whole file once, and store the survey of its opt-outs."""
    readable = (cells for _, cells, problem in rows if not problem)
    found.opt_outs = reader(found, into, skipped).survey(readable).told()


def surveyed(found: LeadImport) -> Survey:
    """Return the stored survey of the file's opt-outs."""
    return Survey.of(found.opt_outs) if found.opt_outs else Survey("", [], 0, 0)


def check(found: LeadImport) -> None:
    """Raise InvalidRequest with the number of each value whose meaning is still open."""
    if asked := _unanswered(found):
        raise InvalidRequest.of(*((f"consent.{number}", question(sign)) for number, sign in asked))


def check_named(found: LeadImport) -> None:
    """Raise InvalidRequest with the column of each value whose meaning is still open."""
    if asked := _unanswered(found):
        how = f'Use "{CONTACT}", "{NEVER}" or "{BOUNCED}".'
        raise InvalidRequest.of(*((f"consent.{sign.column}", f"{question(sign)} {how}") for _, sign in asked))


def _unanswered(found: LeadImport) -> list[tuple[int, Sign]]:
    signs = enumerate(surveyed(found).signs)
    return [
        (number, sign)
        for number, sign in signs
        if sign.meaning == Meaning.UNKNOWN and _answer(found.consent or {}, sign) not in MEANINGS
    ]


def question(sign: Sign) -> str:
    """Return what a member is asked about a value."""
    return f"{called(sign)} may say who must not be contacted. Choose what “{sign.value}” means."


def called(sign: Sign) -> str:
    """Return in words where the file says it, such as the column."""
    return _CALLED.get(sign.column) or f"The column “{sign.column}”"


def chosen(found: LeadImport, sign: Sign) -> str:
    """Return what the sign means, chosen by a member or clear by itself; '' when it is open."""
    return _answer(found.consent or {}, sign) or ANSWERS.get(sign.meaning, "")


def _answer(consent: Mapping[str, Mapping[str, str]], sign: Sign) -> str:
    values = next((of for column, of in consent.items() if _same(column, sign.column)), {})
    return next((said for value, said in values.items() if _same(value, sign.value)), "")


def _same(one: str, other: str) -> bool:
    return text.squeeze(one).casefold() == text.squeeze(other).casefold()


def sentences(found: LeadImport, of_companies: bool = False) -> list[str]:
    """Return what happens to those who opted out, before anything is stored."""
    told = surveyed(found)
    where = f" in {told.tool}" if told.tool else ""
    signs = [sign for sign in told.signs if sign.meaning == Meaning.NEVER]
    word = (
        "unsubscribed"
        if signs and all("unsub" in f"{one.column} {one.value}".casefold() for one in signs)
        else "opted out"
    )
    lines = []
    if told.never and of_companies:
        they = "1 company" if told.never == 1 else f"{told.never:,} companies"
        return [f"{they} {word}{where}, so people there won't be contacted."]
    if told.never:
        they = "1 person" if told.never == 1 else f"{told.never:,} people"
        lines.append(f"{they} {word}{where} and won't be contacted.")
    if told.dead:
        they = "1 email address" if told.dead == 1 else f"{told.dead:,} email addresses"
        lines.append(f"{they} bounced{where}: imported, but not contacted.")
    return lines


class OptedOut(NamedTuple):
    """A row of which the file says something: the person with every address that it has of them, or a company."""

    said: Said
    fields: ProfileFields
    addresses: Sequence[str] = ()
    domain: str = ""
    company: str = ""  # the company's name, used where no domain is known

    @property
    def is_taken(self) -> bool:
        """Return whether the person is imported too, as one whose address does not work is."""
        return self.said.meaning == Meaning.DEAD

    def entries(self) -> Iterator[tuple[str, str]]:
        """Yield what must not be contacted: whatever names the person, or the address alone that does not work."""
        if self.domain:
            yield str(NeverContactKind.DOMAIN), self.domain
        elif self.company:
            yield str(NeverContactKind.COMPANY), text.company(self.company)
        for one in people.named(self.fields):
            if one.kind == IdentityKind.EMAIL:
                yield str(NeverContactKind.EMAIL), one.value
            elif not self.is_taken:
                yield str(NeverContactKind.PERSON), one.value
        if not self.is_taken:
            for address in self.addresses:
                yield str(NeverContactKind.EMAIL), address


def enter(workspace: Workspace, found: LeadImport, rows: Sequence[OptedOut]) -> None:
    """Put these people on the do-not-contact list, each with where and when it was said. Inside a transaction."""
    tool = surveyed(found).tool
    reasons = {entry: _reason(tool, found.file_name, row.said) for row in rows for entry in row.entries()}
    never_contact.add_told(workspace, reasons)


def _reason(tool: str, file_name: str, said: Said) -> str:
    """Return why, such as `Status: Unsubscribed, in Mailchimp, 2024-05-03 (members.csv)`."""
    what = f"File name: {said.value}" if said.column == FILE else f"{said.column}: {said.value}"
    parts = [what, f"in {tool}" if tool else "", said.when if said.when not in what else ""]
    return f"{', '.join(filter(None, parts))} ({file_name})"


def as_given(consent: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return what a member said in a form that can be stored, valid or not."""
    return {
        _short(column): {_short(value): str(said)[:20] for value, said in of.items()}
        for column, of in consent.items()
        if isinstance(of, Mapping)
    }


def _short(written: Any) -> str:
    return text.whole(str(written)[:200])


def columns_without(header: Sequence[str], consent: Collection[str]) -> list[str]:
    """Return the names in an answer that are no columns of the file."""
    names = {text.squeeze(name).casefold() for name in header} | {FILE.casefold()}
    return [name for name in consent if text.squeeze(name).casefold() not in names]
