"""Unipile as a connectable service."""

from collections.abc import Sequence

from app.core.text import url_parts
from app.ports import Credentials, Field, LoggedOut, Refused, Service, Throttled
from app.providers.http import HttpClient
from app.providers.unipile.api import opened
from app.providers.unipile.failures import KEY_REFUSED
from app.providers.unipile.search import UnipileSearch

WITHIN = 20.0  # seconds
SETTING = "OVERTURE_UNIPILE_HOSTS"


class UnipileService(UnipileSearch):
    """See ports.ServiceAdapter."""

    service = Service(
        name="unipile",
        title="Unipile",
        serves=frozenset({"social", "people"}),
        fields=(
            Field(
                "base_url",
                "Address",
                secret=False,
                hint="https://api.unipile.com/v2, or the address and port in your dashboard.",
                default="https://api.unipile.com/v2",
            ),
            Field("api_key", "API key", hint="From the same Unipile application as the address."),
            Field(
                "webhook_secret",
                "Webhook secret",
                hint="Only if you create the webhook yourself. Otherwise leave it blank.",
                optional=True,
                made=True,
            ),
        ),
        guide=(
            "Connects LinkedIn accounts and finds people. In Unipile, create an access token "
            "with permissions for accounts, users, messaging, posts, search, hosted "
            "authentication and webhooks. Paste the token here as the API key, with the address of its application."
        ),
        cost={},
        link="https://dashboard.unipile.com/access-tokens",
        price="From $49 a month for up to 10 accounts (September 2025)",
    )

    def __init__(self, client: HttpClient, hosts: Sequence[str] = (), *, any_host: bool = False) -> None:
        super().__init__(client)
        self._hosts, self._any_host = frozenset(hosts), any_host

    def check(self, credentials: Credentials) -> str:
        host = url_parts(credentials.values.get("base_url", "")).hostname or ""
        if not (self._any_host or f".{host}".endswith(".unipile.com") or host in self._hosts):
            raise Refused(f"{host or 'This'} is not a Unipile address. Ask your server admin to allow it in {SETTING}.")
        try:
            accounts = opened(self._client, credentials.values, WITHIN).accounts()
        except Throttled as problem:
            if problem.sentence == KEY_REFUSED:
                raise Refused("Unipile rejected this API key. Copy the key and the address again.") from None
            raise
        except LoggedOut as problem:
            raise Refused(problem.sentence) from None
        well = sum(one.state == "running" for one in accounts)
        if not accounts:
            return "No LinkedIn account yet."
        return f"{well} of {len(accounts)} LinkedIn {'account' if len(accounts) == 1 else 'accounts'} ready."
