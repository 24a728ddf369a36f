"""A Unipile account behind the port of senders."""

from datetime import datetime

from app.ports import AccountRef, Inbound, LoggedOut, ProviderError, Receipt, Refused, SenderAction, Unreachable
from app.providers.http import HttpClient
from app.providers.outbound import release_database
from app.providers.unipile import inbound
from app.providers.unipile.actions import Actions
from app.providers.unipile.api import Api, opened
from app.providers.unipile.failures import SIGN_IN_AGAIN
from app.providers.unipile.members import Members
from app.providers.unipile.parsing import Json, Standing

WHOLE_CALL = 90.0  # seconds
TROUBLES: dict[str, ProviderError] = {
    "connecting": Unreachable("Unipile is still connecting this account."),
    "disconnected": LoggedOut("LinkedIn signed this account out. Sign in again."),
    "challenged": LoggedOut("LinkedIn needs a security check for this account.", challenged=True),
    "unknown": Unreachable("Unipile doesn't report this account's state."),
}
NOT_CONNECTED = "Unipile is not connected. Connect Unipile in Settings → Services."


class UnipileNetwork:
    """See ports.Sender. Nothing is remembered from one call to the next but who is who."""

    quarantine = 900
    lateness = 3600  # it does things late when the network is slow; measured: 200 seconds after its time-out
    patience = 100
    parallel = 8

    def __init__(self, client: HttpClient, *, whole_call: float = WHOLE_CALL) -> None:
        self._client, self._whole_call = client, whole_call
        self._members = Members()

    def act(self, account: AccountRef, action: SenderAction) -> Receipt:
        return Actions(self._wire(account), self._members, account).do(action)

    def find(self, account: AccountRef, action: SenderAction) -> Receipt | None:
        return Actions(self._wire(account), self._members, account).find(action)

    def inbound(self, account: AccountRef, cursor: str) -> Inbound:
        """See Sender. Check the account first: conversations stay readable long after it was signed out."""
        aside: list[Json] = []
        wire = self._wire(account, aside)
        require(wire, account.provider_ref)
        return inbound.read(wire, self._members, account, cursor, aside)

    def next_inbound(self, account: AccountRef, cursor: str) -> datetime | None:
        """Return None: the network can't say when something will come in."""
        release_database()
        return None

    def status(self, account: AccountRef) -> None:
        require(self._wire(account), account.provider_ref)

    def reconnect(self, account: AccountRef) -> None:
        """Check the account: the sign-in itself happens at Unipile."""
        self.status(account)

    def _wire(self, account: AccountRef, aside: list[Json] | None = None) -> Api:
        release_database()
        if not account.settings.get("api_key"):
            raise LoggedOut(NOT_CONNECTED)
        return opened(self._client, account.settings, self._whole_call, aside)


def require(wire: Api, account: str) -> Standing:
    """Return the account's state if it can act; raise a ProviderError that says why not."""
    try:
        standing = wire.standing(account)
    except Refused:
        raise LoggedOut(f"{SIGN_IN_AGAIN['invalid_account']} Connect it again.") from None
    if standing.state in TROUBLES:
        trouble = TROUBLES[standing.state]
        if isinstance(trouble, LoggedOut):
            raise LoggedOut(trouble.sentence, trouble.challenged)
        raise Unreachable(trouble.sentence)
    return standing
