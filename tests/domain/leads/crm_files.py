"""Files of contacts as HubSpot, Pipedrive and Apollo export them, with what real ones have: half of the people known
already, addresses that are none, rows with an address alone, people who are there twice, rows without anyone.

What must become of a row is said by the row that was made, not by the code that reads it.
"""

import csv
import io
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.domain.leads.crm_headers import EXPORTS, Export

PROGRAMS = ("HubSpot, contacts", "Pipedrive, people", "Apollo, contacts")
KINDS = {
    "profile and email": 40,
    "email alone": 20,
    "profile alone": 14,
    "profile and bad email": 8,
    "bad email alone": 4,
    "no identity": 2,
    "long phone": 4,
    "again": 8,
}
BAD = ("n/a", "ada@", "ada@@mill.example", "ada at mill.example", "ada@mill..example", "@mill.example", "unknown")
LINKS = (
    "https://www.linkedin.com/in/{}",
    "linkedin.com/in/{}/",
    "http://de.linkedin.com/in/{}?trk=contacts",
    "https://www.linkedin.com/in/{}/details/",
)
LONG_PHONE = "+49 30 " + "1234567890 " * 20


@dataclass(frozen=True)
class Contact:
    """A person of the made-up world."""

    number: int

    @property
    def profile(self) -> str:
        """Their public id."""
        return f"ada-miller-{self.number}"

    @property
    def email(self) -> str:
        """Their address."""
        return f"ada.{self.number}@mill-{self.number % 900}.example"

    def known(self) -> dict[str, str]:
        """What an earlier source said of them: one in three is known by the address alone."""
        named = {"email": self.email} if self.number % 3 == 0 else {"publicId": self.profile, "email": self.email}
        return {**named, "firstName": "Adelaide", "companyName": f"Old Mill {self.number}"}


@dataclass
class CrmRow:
    """A row: its cells by field, who it is, and the values that cannot be taken."""

    cells: dict[str, str]
    contact: Contact | None
    profile: bool = False  # whether the row names the profile
    email: bool = False  # whether the row has their address
    bad: list[str] = field(default_factory=list)  # fields; "" for the whole row


@dataclass
class CrmFile:
    """A file of one program."""

    export: Export
    rows: list[CrmRow]

    def text(self) -> str:
        """The file as it is uploaded."""
        written = io.StringIO()
        writer = csv.writer(written)
        writer.writerow(self.export.columns)
        for number, row in enumerate(self.rows):
            cells = dict.fromkeys(self.export.columns, "")
            for name, value in row.cells.items():
                columns = self.export.fields[name]
                cells[columns[1 if name == "email" and len(columns) > 1 and number % 5 == 4 else 0]] = value
            writer.writerow(cells.values())
        return written.getvalue()


def files(size: int, seed: int = 15) -> list[CrmFile]:
    """Three files with so many rows together; of their people every second is known."""
    chance, numbers = random.Random(seed), iter(range(size))
    share = size // len(PROGRAMS)
    made = []
    for place, program in enumerate(PROGRAMS):
        export = next(one for one in EXPORTS if one.program == program)
        length = size - share * (len(PROGRAMS) - 1) if place == 0 else share
        made.append(CrmFile(export, list(_rows(length, numbers, chance))))
    return made


def _rows(length: int, numbers: Iterator[int], chance: random.Random) -> Iterator[CrmRow]:
    before: list[Contact] = []
    for kind in chance.choices(list(KINDS), list(KINDS.values()), k=length):
        again = kind == "again" and bool(before)
        contact = chance.choice(before) if again else Contact(next(numbers))
        if kind == "again":
            kind = chance.choice(("profile and email", "email alone"))
        row = _row(kind, contact, chance, again)
        if row.contact and not again:
            before.append(contact)
        yield row


def _row(kind: str, contact: Contact, chance: random.Random, again: bool) -> CrmRow:
    company = f"Mill {contact.number}" + (" Ltd" if again else "")
    row = CrmRow(
        {"firstName": "Ada", "lastName": "Miller", "companyName": company, "position": "Head of Looms"}, contact
    )
    if "profile" in kind or kind == "long phone":
        row.cells["profileUrl"] = chance.choice(LINKS).format(contact.profile.title() if again else contact.profile)
        row.profile = True
    if kind in ("profile and email", "email alone", "long phone"):
        row.cells["email"] = contact.email.upper() if again else contact.email
        row.email = True
    if "bad email" in kind:
        row.cells["email"] = chance.choice(BAD)
        row.bad.append("email" if row.profile else "")
    if kind == "long phone":
        row.cells["phone"] = LONG_PHONE
        row.bad.append("phone")
    if kind == "no identity":
        row.bad.append("")
    if "" in row.bad:
        row.contact = None
    return row
