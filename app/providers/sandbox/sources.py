"""Sample sources of a sandbox workspace: any key of the right form is taken, except one with the word invalid."""

import calendar
from dataclasses import fields
from datetime import date, datetime, timedelta

from app.core import clock
from app.core.db import end_read
from app.ports import (
    Customer,
    CustomerPage,
    FoundPerson,
    PeopleQuery,
    SourcePerson,
    SourceRefused,
    Visitor,
    VisitorPage,
)
from app.providers import posthog, stripe
from app.providers.sandbox.directory import SandboxDirectory

FORMER, VISITORS = 24, 36
PROJECT = "10001"


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
        seen = ((one, clock.now() - timedelta(hours=7 * at + 1)) for at, one in enumerate(found))
        return VisitorPage(
            [Visitor(**_person(one), page=one.facts.get("visited_page", ""), at=at) for one, at in seen], ""
        )


def _person(one: FoundPerson) -> dict[str, str]:
    """Return what a source knows of a person of the directory."""
    return {each.name: getattr(one, each.name) for each in fields(SourcePerson)}


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
        several = ((one, _last(one.facts.get("ended", "January"))) for one in found.people)
        return CustomerPage([Customer(**_person(one), ended_on=ended_on) for one, ended_on in several], "")


def _last(month: str) -> date:
    """Return the start of that month's latest occurrence."""
    today, number = clock.now().date(), [*calendar.month_name].index(month)
    return date(today.year - (number > today.month), number, 1)
