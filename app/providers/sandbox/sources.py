"""Sample sources of a sandbox workspace: any key of the right form is taken, except one with the word invalid."""

from datetime import date, datetime, timedelta

from app.core import clock
from app.core.db import end_read
from app.ports import Customer, CustomerPage, FoundPerson, PeopleQuery, SourceRefused, Visitor, VisitorPage
from app.providers import posthog, stripe
from app.providers.sandbox.directory import SandboxDirectory

FORMER, VISITORS = 24, 36
PROJECT = "10001"
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


class SandboxAnalytics:
    """A `ports.AnalyticsSource` with one project, whose visitors live in the sandbox directory."""

    def check(self, key: str, region: str, project_id: str) -> str:
        end_read()
        posthog.check_form(key)
        if "invalid" in key.casefold():
            raise SourceRefused("This key can't read projects. Create a read-only key with project access.")
        return project_id or PROJECT

    def visitors(self, key: str, region: str, project_id: str, seed: int, since: datetime, after: str) -> VisitorPage:
        found = SandboxDirectory().find(PeopleQuery({}, "site_visitors", seed), VISITORS).people
        begin = clock.now() - timedelta(hours=1)
        return VisitorPage([_visitor(one, begin - timedelta(hours=7 * at)) for at, one in enumerate(found)], "")


def _visitor(one: FoundPerson, at: datetime) -> Visitor:
    return Visitor(
        email=one.email,
        page=one.facts.get("visited_page", ""),
        at=at,
        first_name=one.first_name,
        last_name=one.last_name,
        company=one.company,
        title=one.title,
        public_id=one.public_id,
        profile_url=one.profile_url,
    )


class SandboxPayments:
    """A `ports.PaymentsSource` whose former customers live in the sandbox directory; it has no current ones."""

    def check(self, key: str) -> bool:
        end_read()
        stripe.check_form(key)
        if "invalid" in key.casefold():
            raise SourceRefused("This key can't read subscriptions. Create a restricted key with read access.")
        return True

    def customers(self, key: str, seed: int, ended: bool, after: str) -> CustomerPage:
        if not ended:
            return CustomerPage([], "")
        found = SandboxDirectory().find(PeopleQuery({}, "former_customers", seed), FORMER)
        return CustomerPage([_former(one) for one in found.people], "")


def _former(one: FoundPerson) -> Customer:
    return Customer(
        email=one.email,
        first_name=one.first_name,
        last_name=one.last_name,
        company=one.company,
        title=one.title,
        public_id=one.public_id,
        profile_url=one.profile_url,
        ended_on=_last(one.facts.get("ended", "January")),
    )


def _last(month: str) -> date:
    """Return the start of that month's latest occurrence."""
    today, number = clock.now().date(), MONTHS.index(month) + 1
    return date(today.year - (number > today.month), number, 1)
