"""Files of people as HubSpot, Pipedrive and Apollo export them, with all that goes wrong in such files.

`person(number)` is the same person every time, so that a test can have some of them before it reads a file.
"""

import csv
import io
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from tests.domain.leads.crm_headers import EXPORTS, Export

PROGRAMS = {"HubSpot": "HubSpot, contacts", "Pipedrive": "Pipedrive, people", "Apollo": "Apollo, contacts"}
BAD_ADDRESSES = ("{} at acme.example", "{}@", "@acme.example", "{}@acme", "n/a", "{}@acme..example", "unknown")
_FIRST = ("Aoife", "Jürgen", "Chloé", "Łukasz", "Noor", "Thabo", "Inês", "Ravi", "Mei", "Óscar", "Anna Maria", "J.")
_LAST = ("Lindqvist", "Öztürk", "van der Berg", "Nowak", "O'Brien", "Duarte", "Smith-Jones", "von der Heide", "Tanaka")
_COMPANY = (
    "Quillstack, Inc.",
    "Parcelwise GmbH & Co. KG",
    "Lumen Ledger",
    'The "Good" Bank',
    "Kitewing SAS",
    "Müller AG",
)
_PLACE = (("Berlin", "BE", "Germany"), ("São Paulo", "SP", "Brazil"), ("Dublin", "", "Ireland"), ("Lyon", "", "France"))


class Kind(StrEnum):
    """What is special about a row."""

    WHOLE = "whole"
    EMAIL_ONLY = "email only"
    BAD_EMAIL = "bad email"
    SECOND_EMAIL = "second email"
    REPEATED = "repeated"
    NAMELESS = "no identity"


@dataclass(frozen=True)
class Person:
    """A person as a row of the file says it."""

    number: int
    first: str
    last: str
    company: str
    domain: str
    link: str
    email: str
    second_email: str
    phone: str
    title: str
    place: tuple[str, str, str]
    kind: Kind = Kind.WHOLE

    @property
    def has_identity(self) -> bool:
        """Whether the row says who it is about: a profile, or an address that is one."""
        return bool(self.link) or self.kind in (Kind.EMAIL_ONLY, Kind.SECOND_EMAIL)


def person(number: int) -> Person:
    """The person of that number, whole."""
    first, last = _FIRST[number % len(_FIRST)], _LAST[number // 5 % len(_LAST)]
    domain = f"company{number // 7}.example"
    return Person(
        number=number,
        first=first,
        last=last,
        company=f"{_COMPANY[number // 7 % len(_COMPANY)]} {number // 7}",
        domain=domain,
        link=f"https://www.linkedin.com/in/person-{number}/",
        email=f"person{number}@{domain}",
        second_email="",
        phone=f"+49 30 {number:07}",
        title=("Head of Support", "COO", "VP, Sales")[number % 3],
        place=_PLACE[number % len(_PLACE)],
    )


def people(rows: int, known: int, seed: int) -> list[Person]:
    """The people of a file: half of the rows are of `person(0)` to `person(known - 1)`, the others are new.

    Of a hundred rows about eight have a bad address, five another one in its place, fifteen an address alone, six
    repeat an earlier row and two say of nobody who it is.
    """
    dice = random.Random(seed)
    numbers = dice.sample(range(known), min(known, rows // 2))
    numbers += range(known, known + rows - len(numbers))
    dice.shuffle(numbers)
    kinds = dice.choices(list(Kind), weights=(64, 15, 8, 5, 6, 2), k=rows)
    found: list[Person] = []
    for number, kind in zip(numbers, kinds, strict=True):
        whole = [one for one in found[-200:] if one.kind is Kind.WHOLE] if kind is Kind.REPEATED else []
        if whole:
            found.append(_repeated(dice.choice(whole), dice))
        else:
            found.append(_as(Kind.WHOLE if kind is Kind.REPEATED else kind, person(number), dice))
    return found


def _as(kind: Kind, one: Person, dice: random.Random) -> Person:
    bad = dice.choice(BAD_ADDRESSES).format(one.first.lower())
    changes: dict[Kind, dict[str, str]] = {
        Kind.EMAIL_ONLY: {"link": ""},
        Kind.BAD_EMAIL: {"email": bad},
        Kind.SECOND_EMAIL: {"email": bad, "second_email": one.email},
        Kind.NAMELESS: {"link": "", "email": ""},
    }
    return replace(one, kind=kind, **changes.get(kind, {}))


def _repeated(one: Person, dice: random.Random) -> Person:
    """The same person again, in another spelling and with fewer fields."""
    spelled = dice.choice((one.link.upper().replace("PERSON", "Person"), one.link.rstrip("/") + "?utm=1", one.link))
    return replace(one, kind=Kind.REPEATED, link=spelled, email=one.email.title(), phone="", title="")


def written(program: str, rows: Sequence[Person]) -> bytes:
    """The file of those people as the program writes it."""
    export = next(export for export in EXPORTS if export.program == PROGRAMS[program])
    sheet = io.StringIO()
    writer = csv.writer(sheet)
    writer.writerow(export.columns)
    writer.writerows(
        [cells.get(column, "") for column in export.columns] for cells in (_cells(export, row) for row in rows)
    )
    return sheet.getvalue().encode("utf-8-sig" if program == "HubSpot" else "utf-8")


def _cells(export: Export, one: Person) -> dict[str, str]:
    fields = {
        "firstName": (one.first,),
        "lastName": (one.last,),
        "position": (one.title,),
        "companyName": (one.company,),
        "companyUrl": (f"https://www.{one.domain}",),
        "email": (one.email, one.second_email),
        "phone": ("", one.phone),
        "profileUrl": (one.link,),
        "location": one.place,
        "tags": ("Hot lead;EMEA" if one.number % 4 == 0 else "",),
    }
    cells = {
        column: value
        for key, columns in export.fields.items()
        for column, value in zip(columns, fields.get(key, ()), strict=False)
    }
    program = export.program.partition(",")[0]
    about = {
        "HubSpot": {
            "Record ID": str(51_000_000 + one.number),
            "Contact owner": "me@ours.example",
            "Associated Company": one.company,
            "Lead Status": "New",
            "Marketing contact status": "Non-marketing contact",
            "Create Date": "2026-03-02 09:14",
            "Lifecycle Stage": "Lead",
        },
        "Pipedrive": {
            "Person - Name": f"{one.first} {one.last}",
            "Person - ID": str(one.number),
            "Person - Owner": "Mia Owner",
            "Person - Open deals": str(one.number % 3),
            "Organization - ID": str(one.number // 7),
        },
        "Apollo": {
            "Email Status": "Verified",
            "Contact Owner": "me@ours.example",
            "# Employees": str(one.number % 900),
            "Company Linkedin Url": f"http://www.linkedin.com/company/{one.domain.partition('.')[0]}",
            "Apollo Contact Id": f"66f{one.number:021x}",
            "Company Name for Emails": one.company.partition(",")[0],
        },
    }
    return {**about[program], **cells}
