"""A service on this machine that knows one key: what every test of connected services connects."""

from app import ports
from app.ports import Credentials, Field, ProviderError, Refused, Service

RIGHT = "key-that-opens-the-door"


class Finder:
    """Finds addresses for a cent each; `failure` is raised by the next call."""

    def __init__(self, name: str = "finder", *serves: str) -> None:
        self.service = Service(
            name=name,
            title=name.capitalize(),
            serves=frozenset(serves or {"email", "verify"}),
            fields=(
                Field("base_url", "Address", secret=False, default="https://api.finder.example"),
                Field("api_key", "API key", hint="Begins with key-."),
                Field("hook_secret", "Secret of its calls", optional=True, made=True),
            ),
            guide="Create a key that may find addresses.",
            cost={"email": 10_000},
            link="https://finder.example/keys",
        )
        self.failure: ProviderError | None = None
        self.seen: list[Credentials] = []

    def check(self, credentials: Credentials) -> str:
        self.seen.append(credentials)
        if self.failure:
            raise self.failure
        if credentials.values["api_key"] != RIGHT:
            raise Refused("The finder does not know this key. Copy it again.")
        return "500 searches are left this month."


def offered(*names: str) -> list[Finder]:
    """Finders of these names can be connected, until providers are built again."""
    finders = [Finder(name) for name in names or ("finder",)]
    ports.connect_services(finders)
    return finders
