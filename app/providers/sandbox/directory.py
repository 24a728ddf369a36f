"""The directory of the sandbox network: invented people for any sensible targeting, the same for the same seed.

People follow from the seed, the angle and the labels, so a targeting finds the same people in the same order every
time. A targeting that names something unknown (a role, size or place) finds no people.
"""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from itertools import product

from app.core import company_sizes
from app.core.db import end_read
from app.ports import FoundPeople, FoundPerson, PeopleQuery
from app.providers.sandbox import members
from app.providers.sandbox.population import draw

SHARES = {
    "": 1.0,
    "cold": 1.0,
    "new_role": 0.11,
    "hiring": 0.18,
    "funded": 0.06,
    "technology": 0.22,
    "news": 0.09,
    "site_visitors": 0.03,
    "former_customers": 0.02,
}
MOST = 25_000


class SandboxDirectory:
    """A `ports.PeopleSearch` whose people are invented."""

    name = "sandbox"

    def count(self, wanted: PeopleQuery) -> int:
        """Return about how many people match."""
        end_read()
        labels = wanted.rows.get("size") or ("",)
        titles = [one for one in wanted.rows.get("titles") or ("Founder",) if members.is_role(one)]
        types = [one for one in wanted.rows.get("companyType") or members.INDUSTRIES if any(map(str.isalpha, one))]
        places = [one for one in wanted.rows.get("location") or ("Worldwide",) if members.cities(one)]
        whole = 0.0
        for title, kind, place in product(titles, types, places):
            here = 30 + 170 * draw(wanted.seed, title.casefold(), kind.casefold(), place.casefold())
            here *= members.reach(place) * (4 if not wanted.rows.get("titles") else 1)
            whole += here * sum(_share(size) for size in labels)
        return min(round(whole * SHARES.get(wanted.angle, 0)), MOST)

    def find(self, wanted: PeopleQuery, limit: int, cursor: str = "") -> FoundPeople:
        """Return the next people, always in the same order."""
        total, first = self.count(wanted), int(cursor or 0)
        last = min(total, first + limit)
        rows = {key: tuple(labels) for key, labels in sorted(wanted.rows.items()) if labels}
        found = [_person(wanted, rows, number) for number in range(first, last)]
        return FoundPeople(found, str(last) if last < total else "")


def _share(size: str) -> float:
    """Return the share of companies of that size; 0 for an unknown size."""
    if not size:
        return 3.0
    found = company_sizes.employees(size)
    if found is None:
        return 0.0
    least, _ = found
    return 1.2 if least <= 10 else 1.0 if least <= 50 else 0.6 if least <= 200 else 0.3 if least <= 1000 else 0.08


def _person(wanted: PeopleQuery, rows: Mapping[str, Sequence[str]], number: int) -> FoundPerson:
    """Return a matching person; the same for the same number."""
    search = (wanted.seed, wanted.angle if wanted.angle != "cold" else "", sorted(rows.items()))
    mark = (*search, number)

    def one_of(choices: Sequence[str], *what: object) -> str:
        return choices[int(draw(*mark, *what) * len(choices))]

    titles = [one for one in rows.get("titles", ()) if members.is_role(one)] or list(members.TITLES)
    places = [one for one in rows.get("location", ()) if members.cities(one)] or ["Worldwide"]
    title = one_of(titles, "title")
    industry = one_of([*rows.get("companyType", ())] or list(members.INDUSTRIES), "industry")
    own = members.of_kind(industry)
    ending = one_of(members.OF_A_KIND if own else members.ENDINGS, "ending")
    company = f"{one_of(members.companies(), 'company')} {one_of((own, f'{own} {ending}'), 'kind') if own else ending}"
    place = max(places, key=lambda one: draw(wanted.seed, company, one))  # a company is in one place
    location = max(members.cities(place), key=lambda one: draw(wanted.seed, company, one))
    first, last = map(one_of, members.names(location), ("first", "last"))
    size = one_of([*rows.get("size", ())] or ["11-50"], "size")
    domain = members.domain(company)
    digest = blake2b("|".join(map(str, search)).encode(), digest_size=3).hexdigest()
    # The search and the place in it stand in the id, since the population spreads what people do evenly over a search.
    public_id = f"{members.plain(first)}-{members.plain(last)}-{digest}{number:04x}"
    return FoundPerson(
        public_id=public_id,
        profile_url=f"https://network.example/in/{public_id}",
        first_name=first,
        last_name=last,
        title=title,
        company=company,
        company_domain=domain,
        headline=f"{title} at {company}",
        summary=f"{title} at {company}, {industry.lower()}, {size} people, in {location}.",
        location=location,
        industry=industry,
        email=f"{members.plain(first)}.{members.plain(last)}@{domain}",
        facts={name: one_of(values, name) for name, values in members.FACTS.get(wanted.angle, {}).items()},
    )
