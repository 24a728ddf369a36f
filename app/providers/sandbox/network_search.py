"""Searches of the sandbox network: people of its directory, the same for the same address."""

from dataclasses import replace
from urllib.parse import parse_qs, unquote, urlsplit

from app.ports import AccountRef, FoundPerson, PeopleQuery, Product, SearchAddress, SearchPage
from app.providers.sandbox import members
from app.providers.sandbox.directory import SandboxDirectory
from app.providers.sandbox.network import SandboxNetwork

MOST = {Product.CLASSIC: 1000, Product.SALES_NAVIGATOR: 2500, Product.RECRUITER: 2500}  # as the real network shows
HIDDEN = 19  # one of so many is outside the account's network and has no name


class SandboxNetworkSearch:
    """A `ports.NetworkSearch` whose people are invented."""

    def read(self, account: AccountRef, search: SearchAddress, limit: int, cursor: str = "") -> SearchPage:
        """See NetworkSearch. An account that must sign in again finds no one."""
        SandboxNetwork().status(account)
        wanted, directory = _wanted(account, search), SandboxDirectory()
        total = min(directory.count(wanted), MOST[search.product])
        first = int(cursor or 0)
        last = min(total, first + limit)
        numbered = enumerate(directory.find(wanted, last - first, str(first)).people if last > first else [], first)
        company = search.company.replace("-", " ").title() or _asked(search, "company")
        people = [_shown(one, company) for number, one in numbered if number % HIDDEN != HIDDEN - 1]
        return SearchPage(people, str(last) if last < total else "", total, last - first - len(people))


def _wanted(account: AccountRef, search: SearchAddress) -> PeopleQuery:
    """Return a query of the directory: its title, if the words name one, and the address itself as a mark."""
    words = " ".join(filter(None, (_asked(search, name) for name in ("keywords", "title", "titleFreeText"))))
    titles = [words] if words and members.is_role(words) else ["Founder", "Head of Sales"]
    return PeopleQuery({"titles": titles, "search": [search.address]}, seed=account.seed)


def _asked(search: SearchAddress, name: str) -> str:
    return unquote(" ".join(parse_qs(urlsplit(search.url).query).get(name, []))).strip()


def _shown(one: FoundPerson, company: str) -> FoundPerson:
    """Return a person as a search shows them: without an address, and at the company that was asked for."""
    if not company:
        return replace(one, email="")
    return replace(one, company=company, headline=f"{one.title} at {company}", company_domain="", email="")
