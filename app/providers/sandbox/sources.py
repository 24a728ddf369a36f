"""Sample sources of a sandbox workspace: any key is taken, except one that holds the word invalid."""

from collections.abc import Sequence

from app.core.db import leave_database
from app.ports import FormerCustomer, Refused, Wanted
from app.providers.sandbox.directory import SandboxDirectory

FORMER = 24
PROJECT = "10001"


class SandboxAnalytics:
    """A `ports.AnalyticsSource` with one project."""

    def check(self, key: str, region: str, project_id: str) -> str:
        """See AnalyticsSource."""
        leave_database()
        if "invalid" in key.casefold():
            raise Refused("The key was refused: it cannot read projects. Create a read-only key with project access.")
        return project_id or PROJECT


class SandboxPayments:
    """A `ports.PaymentsSource` whose former customers live in the sandbox directory."""

    def check(self, key: str) -> None:
        """See PaymentsSource."""
        leave_database()
        if "invalid" in key.casefold():
            raise Refused("The key was refused: it cannot read subscriptions. Create a restricted key that can.")

    def former_customers(self, key: str, seed: int, most: int) -> Sequence[FormerCustomer]:
        """See PaymentsSource."""
        found = SandboxDirectory().find(Wanted({}, "former_customers", seed), min(most, FORMER))
        return [
            FormerCustomer(
                email=one.email,
                first_name=one.first_name,
                last_name=one.last_name,
                company=one.company,
                title=one.title,
                public_id=one.public_id,
                profile_url=one.profile_url,
                ended=one.facts.get("ended", ""),
            )
            for one in found
        ]
