"""What we need from outside, in our words: protocols, what they speak in, and the five ways in which they fail."""

from collections.abc import Iterable, Mapping

from app.ports.courier import Answer, Courier
from app.ports.failures import (
    AlreadyConnected,
    LoggedOut,
    ProviderError,
    Refused,
    Throttled,
    Unknown,
    Unreachable,
)
from app.ports.lookups import Contact, ContactQuestion, ContactSource, SignalQuestion, SignalSource
from app.ports.port import Port
from app.ports.search import FACTS, FoundPerson, PeopleSearch, Wanted
from app.ports.senders import (
    Accepted,
    AccountRef,
    Bounced,
    ByHand,
    Deed,
    Inbound,
    Incoming,
    PersonRef,
    Receipt,
    Received,
    Sender,
)
from app.ports.services import SERVES, Credentials, Field, Service, ServiceAdapter
from app.ports.sites import Site, SitePage, SiteReader
from app.ports.sources import AlertMail, AnalyticsSource, FormerCustomer, PaymentsSource, SiteProof
from app.ports.writing import ANGLES, Writer

__all__ = [
    "ANGLES",
    "FACTS",
    "SERVES",
    "Accepted",
    "AccountRef",
    "AlertMail",
    "AlreadyConnected",
    "AnalyticsSource",
    "Answer",
    "Bounced",
    "ByHand",
    "Contact",
    "ContactQuestion",
    "ContactSource",
    "Courier",
    "Credentials",
    "Deed",
    "Field",
    "FormerCustomer",
    "FoundPerson",
    "Inbound",
    "Incoming",
    "LoggedOut",
    "PaymentsSource",
    "PeopleSearch",
    "PersonRef",
    "Port",
    "ProviderError",
    "Receipt",
    "Received",
    "Refused",
    "Sender",
    "Service",
    "ServiceAdapter",
    "SignalQuestion",
    "SignalSource",
    "Site",
    "SitePage",
    "SiteProof",
    "SiteReader",
    "Throttled",
    "Unknown",
    "Unreachable",
    "Wanted",
    "Writer",
    "alert_mail",
    "analytics",
    "connect",
    "connect_services",
    "contacts",
    "courier",
    "payments",
    "people_search",
    "sandbox_analytics",
    "sandbox_contacts",
    "sandbox_payments",
    "sandbox_people",
    "sandbox_signals",
    "sender",
    "senders",
    "service",
    "services",
    "signals",
    "site_proof",
    "site_reader",
    "writer",
]

contacts = Port[ContactSource]("addresses and numbers")
courier = Port[Courier]("courier")
people_search = Port[PeopleSearch]("people search")
sandbox_people = Port[PeopleSearch]("people search of the sandbox")
analytics = Port[AnalyticsSource]("analytics source")
sandbox_analytics = Port[AnalyticsSource]("analytics source of the sandbox")
payments = Port[PaymentsSource]("payments source")
sandbox_payments = Port[PaymentsSource]("payments source of the sandbox")
site_proof = Port[SiteProof]("website proof")
alert_mail = Port[AlertMail]("mail of alerts")
sandbox_contacts = Port[ContactSource]("addresses and numbers of the sandbox")
sandbox_signals = Port[SignalSource]("signals of the sandbox")
signals = Port[SignalSource]("signals")
site_reader = Port[SiteReader]("website reader")
writer = Port[Writer]("writer")
_senders: dict[str, Sender] = {}
_services: dict[str, ServiceAdapter] = {}


def connect(senders: Mapping[str, Sender]) -> None:
    """Accounts of each provider are served by its adapter; called once by create_app."""
    _senders.clear()
    _senders.update(senders)


def sender(provider: str) -> Sender:
    """The adapter that serves accounts of `provider`."""
    return _senders[provider]


def senders() -> list[str]:
    """The names of the providers of senders."""
    return sorted(_senders)


def connect_services(adapters: Iterable[ServiceAdapter]) -> None:
    """These are the services that a workspace can connect, in this order; called once by create_app."""
    _services.clear()
    _services.update((adapter.service.name, adapter) for adapter in adapters)


def service(name: str) -> ServiceAdapter:
    """The adapter of that service."""
    return _services[name]


def services() -> list[Service]:
    """Every service that a workspace can connect."""
    return [adapter.service for adapter in _services.values()]
