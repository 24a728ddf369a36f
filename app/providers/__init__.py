"""The only code that leaves the machine. `build` joins each port to its adapter."""

from typing import Any

from app import ports
from app.providers.fetching import HttpClient
from app.providers.http import HttpCourier
from app.providers.mail import MailSystem
from app.providers.mail.lines import Rules
from app.providers.model import ChatModel
from app.providers.sandbox import SandboxNetwork
from app.providers.sandbox.directory import SandboxDirectory
from app.providers.sandbox.lookups import SandboxContacts, SandboxSignals
from app.providers.sandbox.sources import SandboxAnalytics, SandboxPayments
from app.providers.website import WebsiteReader
from app.providers.website.proof import HomePageProof
from app.providers.writer import BuiltInWriter, ModelWriter


def build(settings: dict[str, Any]) -> None:
    """Every port has an adapter."""
    mail = MailSystem(Rules(allow_private=settings["OVERTURE_ALLOW_PRIVATE_NETWORK"]))
    ports.connect({"sandbox": SandboxNetwork(), "smtp": mail})
    ports.sandbox_signals.connect(SandboxSignals())
    ports.sandbox_contacts.connect(SandboxContacts())
    private = settings["OVERTURE_ALLOW_PRIVATE_NETWORK"]
    ports.site_reader.connect(WebsiteReader(HttpClient(allow_private=private, plain=True)))
    ports.writer.connect(_writer(settings))
    ports.site_proof.connect(HomePageProof(HttpClient(allow_private=private, plain=True)))
    ports.sandbox_people.connect(SandboxDirectory())
    ports.sandbox_analytics.connect(SandboxAnalytics())
    ports.sandbox_payments.connect(SandboxPayments())
    ports.connect_services(_services(settings))
    ports.courier.connect(HttpCourier(allow_private=settings["OVERTURE_ALLOW_PRIVATE_NETWORK"]))


def _services(settings: dict[str, Any]) -> list[ports.ServiceAdapter]:
    """What a workspace can connect, in the order in which it is offered."""
    return []


def _writer(settings: dict[str, Any]) -> ports.Writer:
    """The model that the operator chose, which may live in a private network; else the built-in writer."""
    url, name = settings["OVERTURE_MODEL_URL"], settings["OVERTURE_MODEL_NAME"]
    if not (url and name):
        return BuiltInWriter()
    key, tokens = settings["OVERTURE_MODEL_KEY"], settings["OVERTURE_MODEL_TOKENS"]
    return ModelWriter(ChatModel(HttpClient(allow_private=True), url, key, name, tokens), BuiltInWriter())
