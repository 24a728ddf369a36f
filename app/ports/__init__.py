"""Protocols for everything outside this program, their data classes, and the five ways in which a call can fail."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Generic, TypeVar, cast

from app.core.metrics import PROVIDER_FAILURES
from app.ports.alert_mail import AlertMail
from app.ports.chats import Chats, Notice, Room
from app.ports.checkout import Checkout, SaleEvent, Subscribed, SubscriptionState
from app.ports.crm import (
    CRMS,
    Activity,
    ActivityKind,
    Crm,
    CrmChange,
    CrmCompany,
    CrmContact,
    CrmDeal,
    CrmList,
    CrmOwner,
    CrmPage,
    Fill,
    NewContact,
    Recorded,
)
from app.ports.domain_records import Arrival, DomainRecords, SignedMail
from app.ports.egress import Egress
from app.ports.enrichment import (
    AddressVerifier,
    Contact,
    ContactQuestion,
    ContactService,
    ContactSource,
    SignalQuestion,
    SignalResult,
    SignalService,
    SignalSource,
    Verdict,
)
from app.ports.failures import (
    AlreadyConnected,
    LoggedOut,
    ProviderError,
    RecipientRefused,
    Refused,
    Throttled,
    Unknown,
    Unreachable,
)
from app.ports.hosted_sign_in import Holder, HostedNetwork, News, SignInPage, Subscription
from app.ports.mailbox_oauth import ClientLogin, Consent, MailConsent, OAuthClients
from app.ports.meetings import Booking, MeetingNews, MeetingService
from app.ports.models import ChosenModel, ModelChoices, Models, ModelServer
from app.ports.network_search import NetworkSearch, Product, SearchAddress, SearchPage
from app.ports.people_search import FACTS, FoundPeople, FoundPerson, PeopleQuery, PeopleSearch, PeopleService
from app.ports.senders import (
    TEST,
    Accepted,
    AccountRef,
    Bounced,
    ByHand,
    File,
    Inbound,
    Incoming,
    Parties,
    Party,
    PersonRef,
    Receipt,
    Received,
    Sender,
    SenderAction,
    Unreadable,
)
from app.ports.services import SERVES, Credentials, Field, Service, ServiceAdapter
from app.ports.sites import Site, SitePage, SiteReader
from app.ports.sources import (
    AnalyticsSource,
    Customer,
    CustomerPage,
    PaymentsSource,
    SiteProof,
    SourcePerson,
    SourceRefused,
    Visitor,
    VisitorPage,
)
from app.ports.webhook_client import Answer, WebhookClient
from app.ports.writer import ANGLES, Heard, Model, ModelMeter, Writer

A = TypeVar("A")


class _Counted:
    """Wraps an adapter: passes on its attributes, and counts its failed calls under the port's name."""

    def __init__(self, adapter: Any, name: str) -> None:
        self._adapter, self._name = adapter, name

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._adapter, name)
        return partial(self._call, value) if callable(value) else value

    def _call(self, method: Any, *arguments: Any, **options: Any) -> Any:
        try:
            return method(*arguments, **options)
        except ProviderError as failure:
            PROVIDER_FAILURES.labels(self._name, type(failure).__name__).inc()
            raise


def counted(adapter: A, name: str) -> A:
    """Return the adapter with its failed calls counted for the metrics.

    The wrapper's class defines each public attribute: `isinstance` with a protocol doesn't see those of `__getattr__`.
    """
    public = [each for each in dir(adapter) if not each.startswith("_")]
    kind = type("Counted", (_Counted,), {each: _delegate(each) for each in public})
    return cast(A, kind(adapter, name))


def _delegate(name: str) -> property:
    return property(lambda self: _Counted.__getattr__(self, name))


class Port(Generic[A]):
    """Holds the adapter of one protocol: `writer.connect(adapter)` once, `writer()` wherever it is needed."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.adapter: A | None = None  # as it was connected, without the counting wrapper
        self._counted: A | None = None

    def connect(self, adapter: A) -> None:
        """Connect the adapter."""
        self.adapter, self._counted = adapter, counted(adapter, self.name)

    def disconnect(self) -> None:
        """Disconnect the adapter."""
        self.adapter = self._counted = None

    @property
    def connected(self) -> bool:
        """Return whether there is an adapter."""
        return self._counted is not None

    def __call__(self) -> A:
        """Return the adapter; raise RuntimeError when none is connected."""
        if self._counted is None:
            raise RuntimeError(f"Nothing is connected to the port {self.name}.")
        return self._counted


chats = Port[Chats]("chats")
webhook_client = Port[WebhookClient]("webhook client")
egress = Port[Egress]("way out")
domain_records = Port[DomainRecords]("records of domains")
signed_mail = Port[SignedMail]("signatures of mailboxes")
sandbox_people = Port[PeopleSearch]("people search of the sandbox")
analytics = Port[AnalyticsSource]("analytics source")
sandbox_analytics = Port[AnalyticsSource]("analytics source of the sandbox")
payments = Port[PaymentsSource]("payments source")
sandbox_payments = Port[PaymentsSource]("payments source of the sandbox")
checkout = Port[Checkout]("seller of plans")
model_meter = Port[ModelMeter]("budget of the model")
model_choices = Port[ModelChoices]("choice of the model")
site_proof = Port[SiteProof]("website proof")
alert_mail = Port[AlertMail]("mail of alerts")
sandbox_contacts = Port[ContactSource]("addresses and numbers of the sandbox")
sandbox_signals = Port[SignalSource]("signals of the sandbox")
public_signals = Port[SignalSource]("signals that anybody may read")
site_reader = Port[SiteReader]("website reader")
models = Port[Models]("models that write")
writer = Port[Writer]("writer")
hosted = Port[HostedNetwork]("hosted sign-in")
mail_consent = Port[MailConsent]("being let into mailboxes")
oauth_clients = Port[OAuthClients]("registrations at providers of mailboxes")
_senders: dict[str, Sender] = {}
_network_searches: dict[str, NetworkSearch] = {}
_services: dict[str, ServiceAdapter] = {}


def connect(senders: Mapping[str, Sender]) -> None:
    """Connect each provider's adapter; called once by create_app."""
    _senders.clear()
    _senders.update((provider, counted(adapter, provider)) for provider, adapter in senders.items())


def sender(provider: str) -> Sender:
    """Return the adapter of `provider`."""
    return _senders[provider]


def senders() -> list[str]:
    """Return the names of the senders' providers."""
    return sorted(_senders)


def connect_network_searches(adapters: Mapping[str, NetworkSearch]) -> None:
    """Connect the search of each provider that has one; called once by create_app."""
    _network_searches.clear()
    _network_searches.update((provider, counted(adapter, provider)) for provider, adapter in adapters.items())


def network_search(provider: str) -> NetworkSearch | None:
    """Return the search through accounts of `provider`; None where it has none."""
    return _network_searches.get(provider)


def connect_services(adapters: Iterable[ServiceAdapter]) -> None:
    """Set the services that a workspace can connect, in this order; called once by create_app."""
    _services.clear()
    _services.update((one.service.name, counted(one, one.service.name)) for one in adapters)


def service(name: str) -> ServiceAdapter:
    """Return the adapter of that service."""
    return _services[name]


def services() -> list[Service]:
    """Return every service that a workspace can connect."""
    return [adapter.service for adapter in _services.values()]
