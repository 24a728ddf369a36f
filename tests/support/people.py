"""Invented people in a CSV file as someone would bring it: `python tests/support/people.py > FILE`."""

import csv
import io
import sys
from collections.abc import Iterator

HEADER = [
    "First Name", "Last Name", "Title", "Company", "Company Website", "Person Linkedin Url", "Email", "Mobile Phone",
    "City", "Country", "Tier",
]  # fmt: skip
FIRST = ["Aoife", "Maya", "Jürgen", "Chloé", "Łukasz", "Noor", "Thabo", "Ines", "Ravi", "Saoirse", "Mei", "Óscar"]
LAST = "Gallagher|Lindqvist|Öztürk|van der Berg|Nowak|O'Brien|Duarte|Iyer|Smith-Jones|Tanaka".split("|")
TITLES = ["Head of Support", "VP Customer Experience", "Operations Lead", "Founder", "Director of Service", "COO"]
COMPANIES = ["Quillstack, Inc.", "Parcelwise GmbH", "Lumen Ledger", "Harbor & Pine", "Kitewing SAS", 'The "Good" Bank']
CITIES = "Berlin, Germany|Dublin, Ireland|São Paulo, Brazil|Kraków, Poland|Lisbon, Portugal"
PLACES = [tuple(place.split(", ")) for place in CITIES.split("|")]
BROKEN_ROWS = (40, 97, 160, 233, 301, 402, 480)  # of a file with 500 people, counted from 1


def person(number: int) -> list[str]:
    first, last = FIRST[number % len(FIRST)], LAST[number // 7 % len(LAST)]
    company, (city, country) = COMPANIES[number % len(COMPANIES)], PLACES[number % len(PLACES)]
    host = "".join(sign for sign in company.lower() if sign.isalpha() and sign.isascii()) + ".example"
    email = f"person{number}@{host}" if number % 5 else ""
    return [
        first, last, TITLES[number % len(TITLES)], company, f"https://www.{host}",
        f"https://www.network.example/in/person-{number}/", email, f"+49 30 {number:06}" if number % 3 else "",
        city, country, "ABC"[number % 3],
    ]  # fmt: skip


def broken(number: int, kind: int) -> str:
    """A line with one thing wrong: seven kinds, from 0."""
    cells = person(number)
    if kind == 0:
        cells = cells[:4]
    elif kind == 1:
        cells += ["too", "many"]
    elif kind == 2:
        cells[5] = ""
    elif kind == 3:
        cells[5] = "https://www.network.example/company/quillstack"
    elif kind == 4:
        cells[6] = "nobody at example"
    elif kind == 5:
        return ",".join([*cells[:3], f'"{cells[1]} and sons', *cells[4:]]) + "\r\n"
    else:
        cells[2] = "Head of everything " * 250
    return line(cells)


def line(cells: list[str]) -> str:
    out = io.StringIO()
    csv.writer(out).writerow(cells)
    return out.getvalue()


def people_csv(count: int = 500, broken_rows: tuple[int, ...] = BROKEN_ROWS) -> str:
    """A file with that many people; those of `broken_rows` cannot be read."""
    return "".join(_lines(count, broken_rows))


def _lines(count: int, broken_rows: tuple[int, ...]) -> Iterator[str]:
    yield line(HEADER)
    for number in range(1, count + 1):
        yield broken(number, broken_rows.index(number) % 7) if number in broken_rows else line(person(number))


if __name__ == "__main__":
    sys.stdout.buffer.write(people_csv().encode())
