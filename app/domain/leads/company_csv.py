"""Map the columns of a file of companies: name and website, guessed by name and by content."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.core import text
from app.core.errors import InvalidRequest
from app.domain.leads import listed_companies
from app.domain.leads.csv_mapping import IGNORE, normalize
from app.domain.leads.imports import placeholders
from app.domain.leads.listed_companies import Given
from app.domain.leads.profiles import InvalidProfile
from app.domain.people import company_identity

NAME, WEBSITE = "companyName", "companyUrl"
CSV_FIELDS = {NAME: "Company", WEBSITE: "Website or domain"}
_ABOUT = re.compile(r"^(?:company|organi[sz]ation|account|firma|unternehmen)\s*[-–:.>]\s*", re.IGNORECASE)
_NAMES = {
    NAME: """
        company name, company, organization name, organisation name, organization, organisation, account name, account,
        business name, business, employer, firm, name, firma, firmenname, unternehmen, unternehmensname, société,
        entreprise, nom de l'entreprise, raison sociale, nom, empresa, nombre de la empresa, nombre, bedrijf,
        bedrijfsnaam, organisatie, naam, azienda, nome azienda, ragione sociale, nome, nome da empresa
    """,
    WEBSITE: """
        company domain name, company domain, primary domain, domain name, domain, domains, website url, company website,
        website, web site, web, homepage, home page, url, company url, webseite, webadresse, internet, domäne, site web,
        site internet, site, domaine, sitio web, página web, dominio, sito web, sito, site da empresa, domínio, domein
    """,
}
_RANKED = {normalize(name): (key, rank) for key, names in _NAMES.items() for rank, name in enumerate(names.split(","))}
_PAGE = re.compile(r"\b(?:linkedin|facebook|twitter|instagram|crunchbase)\.com/", re.IGNORECASE)


def _find(name: str) -> tuple[str, int] | None:
    spellings = normalize(name), normalize(_ABOUT.sub("", name))
    return next((_RANKED[one] for one in spellings if one in _RANKED), None)


def is_known(row: Sequence[str]) -> bool:
    """Return whether the row has known column names."""
    return any(map(_find, row))


def is_company(row: Sequence[str]) -> bool:
    """Return whether the row is a company and no header: a cell is a website."""
    return any(_is_website(cell.strip()) for cell in row)


def _is_website(cell: str) -> bool:
    return "." in cell and "@" not in cell and " " not in cell and bool(company_identity.own_domain(cell))


def guess_mapping(header: Sequence[str], samples: Sequence[Sequence[str]] = ()) -> dict[str, str]:
    """Guess for each column, numbered from 0, whether it is the name or a website of the company."""
    filled = [
        [row[number].strip() for row in samples if number < len(row) and row[number].strip()]
        for number in range(len(header))
    ]
    found: dict[str, list[tuple[bool, int, int]]] = {NAME: [], WEBSITE: []}
    for number, name in enumerate(header):
        known = _find(name)
        if known and not (known[0] == WEBSITE and filled[number] and all(map(_PAGE.search, filled[number]))):
            found[known[0]].append((not filled[number], known[1], number))
    best = {number: WEBSITE for _, _, number in found[WEBSITE]}
    if not best:
        sites = [
            number for number, cells in enumerate(filled) if cells and 2 * sum(map(_is_website, cells)) >= len(cells)
        ]
        best = dict.fromkeys(sites[:1], WEBSITE)
    if found[NAME]:
        best[min(found[NAME])[2]] = NAME
    elif not any(map(_find, header)):  # a file without a header
        rest = (number for number, cells in enumerate(filled) if cells and number not in best)
        best |= dict.fromkeys(list(rest)[:1], NAME)
    return {str(number): best.get(number, IGNORE) for number in range(len(header))}


def check(mapping: Mapping[str, Any], header: Sequence[str]) -> dict[str, str]:
    """Return the mapping with every column; raise InvalidRequest for unknown columns or without a name and website."""
    problems, clean = [], {str(number): IGNORE for number in range(len(header))}
    for number, key in mapping.items():
        path = f"mapping.{number}"
        if number not in clean:
            problems.append((path, "Column not found."))
        elif key not in (IGNORE, *CSV_FIELDS):
            problems.append((path, "Choose the company or its website, or don't import the column."))
        elif key == NAME and NAME in clean.values():
            problems.append((path, "Two columns can't both be “Company”. Choose “Don't import” for one of them."))
        else:
            clean[number] = key
    if not {NAME, WEBSITE} & set(clean.values()):
        problems.append(("mapping", "Choose the column with the company's name or website."))
    InvalidRequest.raise_for(problems)
    return clean


def row_reader(mapping: Mapping[str, str]) -> Callable[[Sequence[str]], Given]:
    """Return a function from row to company; of several websites the first that is a company's own counts."""
    named = [int(number) for number, key in mapping.items() if key == NAME]
    sites = sorted(int(number) for number, key in mapping.items() if key == WEBSITE)

    def take(cells: Sequence[str]) -> Given:
        if not text.is_text("".join(cells)):
            raise InvalidProfile("The row has a character that can't be stored.")
        name = next((text.csv_text(placeholders.filled(cells[number])) for number in named), "")
        given = [cell for number in sites if (cell := placeholders.filled(cells[number]))]
        website = next((cell for cell in given if company_identity.own_domain(cell)), given[0] if given else "")
        return listed_companies.read(name, website, (NAME, WEBSITE))

    return take
