"""Hunter: find and verify email addresses."""

from collections.abc import Mapping

from app.ports import (
    Contact,
    ContactQuestion,
    Credentials,
    Field,
    LoggedOut,
    ProviderError,
    Refused,
    Service,
    Throttled,
    Unreachable,
    Verdict,
)
from app.providers.http import HttpClient
from app.providers.json_api import JsonApi, Reply, number_of, text_of

URL = "https://api.hunter.io/v2"
SURE_ENOUGH = 80  # of 100: what Hunter itself calls likely
REST = 60  # seconds; Hunter does not say how long
LOOKS = "8"  # seconds; it searches no longer than we wait
VERDICTS = {
    "valid": Verdict.DELIVERABLE,
    "invalid": Verdict.UNDELIVERABLE,
    "disposable": Verdict.UNDELIVERABLE,
    "accept_all": Verdict.RISKY,
    "webmail": Verdict.RISKY,
    "unknown": Verdict.UNCHECKED,
}


class Hunter:
    """A `ports.ServiceAdapter` that knows addresses and checks them."""

    service = Service(
        name="hunter",
        title="Hunter",
        serves=frozenset({"email", "verify"}),
        fields=(Field("api_key", "API key"),),
        guide="In Hunter, open API keys, create a key and paste it here. The free plan is enough to try it.",
        cost={"email": 24_500, "verify": 12_250},
        link="https://hunter.io/api-keys",
    )

    def __init__(self, client: HttpClient, url: str = URL) -> None:
        self._api = JsonApi(client, "Hunter", url)

    def check(self, credentials: Credentials) -> str:
        try:
            reply = self._ask(credentials, "/account")
        except LoggedOut as failure:
            raise Refused(failure.sentence) from None
        plan = text_of(reply.part("data", "plan_name"), 60)
        searches = ("data", "requests", "searches")
        used, available = (number_of(reply.part(*searches, name)) for name in ("used", "available"))
        left = f" {available - used:,} of {available:,} searches are left." if used is not None and available else ""
        return f"Connected{f' with the plan {plan}' if plan else ''}.{left}"

    def find_contact(self, credentials: Credentials, question: ContactQuestion) -> Contact | None:
        company = {"domain": question.company_domain} if question.company_domain else {"company": question.company_name}
        name = {"first_name": question.first_name, "last_name": question.last_name}
        if question.kind != "email" or not all([*company.values(), *name.values()]):
            return None
        reply = self._ask(credentials, "/email-finder", {**company, **name, "max_duration": LOOKS})
        if reply.status in (400, 404):
            return None
        address = text_of(reply.part("data", "email"))
        if not address:
            return None
        verdict = VERDICTS.get(text_of(reply.part("data", "verification", "status")), Verdict.UNCHECKED)
        if verdict == Verdict.UNCHECKED and reply.part("data", "accept_all") is True:
            verdict = Verdict.RISKY
        score = number_of(reply.part("data", "score")) or 0
        if verdict == Verdict.UNDELIVERABLE or (verdict != Verdict.DELIVERABLE and score < SURE_ENOUGH):
            return None
        return Contact(address, "Hunter", verdict, "Hunter" if verdict else "")

    def verify(self, credentials: Credentials, address: str) -> Verdict:
        reply = self._ask(credentials, "/email-verifier", {"email": address})
        if reply.status in (202, 222):  # it is still asking the other server, which may take longer than we wait
            raise Throttled("Hunter is still checking this address.", REST)
        if reply.status == 400:
            return Verdict.UNDELIVERABLE  # it takes this for no address at all
        return VERDICTS.get(text_of(reply.part("data", "status")), Verdict.UNCHECKED)

    def _ask(self, credentials: Credentials, path: str, query: Mapping[str, str] | None = None) -> Reply:
        key = {"authorization": f"Bearer {credentials.values['api_key']}"}
        reply = self._api.ask("GET", path, key, query=query)
        return self._api.sound(reply, _failure(reply), "data")


def _failure(reply: Reply) -> ProviderError | None:
    """Return the error that a status means; None for answers, which 400 and 404 are too."""
    match reply.status:
        case 200 | 202 | 222 | 400 | 404:
            return None
        case 401:
            return LoggedOut("Hunter rejected this API key. Create a new key and paste it here.")
        case 403:
            return Throttled("Hunter's request limit has been reached for now.", REST)
        case 429:
            return LoggedOut("This month's Hunter searches are used up. Wait for next month, or upgrade.")
        case 451:
            return Refused("This person asked Hunter not to process their data.")
        case _:
            return Unreachable(f"Hunter returned an unexpected response ({reply.status}).")
