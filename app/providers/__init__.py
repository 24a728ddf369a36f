"""The only code that leaves the machine. `build` joins each port to its adapter."""

from functools import partial
from typing import Any

from app import ports
from app.ports import ChosenModel
from app.providers import apollo, hunter, pdl, posthog, stripe
from app.providers.apollo import Apollo
from app.providers.chats import WebhookChats
from app.providers.crm import HubSpot, Pipedrive, hubspot, pipedrive
from app.providers.dns import Dns
from app.providers.egress import Egress
from app.providers.http import HttpClient
from app.providers.http.webhook_client import WebhookHttpClient
from app.providers.hunter import Hunter
from app.providers.mail import mail_consents, mail_system
from app.providers.mail.connections import Rules
from app.providers.mail.system_mailer import SystemMailer
from app.providers.meetings import CalCom, Calendly
from app.providers.model_switch import ModelSwitch
from app.providers.pdl import PeopleDataLabs
from app.providers.posthog import PostHog
from app.providers.public_signals import Public, PublicSignals
from app.providers.sandbox import SandboxNetwork
from app.providers.sandbox.directory import SandboxDirectory
from app.providers.sandbox.enrichment import SandboxContacts, SandboxSignals
from app.providers.sandbox.network_search import SandboxNetworkSearch
from app.providers.sandbox.sources import SandboxAnalytics, SandboxPayments
from app.providers.stripe import Stripe
from app.providers.stripe.billing import StripeSeller
from app.providers.unipile import UnipileNetwork, UnipileNetworkSearch, UnipileService, UnipileSignIn
from app.providers.website import WebsiteReader
from app.providers.website.ownership_proof import WebsiteProof
from app.providers.writer import BuiltInWriter, SwitchedWriter


def build(settings: dict[str, Any]) -> None:
    """Connect the adapter of every port."""
    private, egress = settings["OVERTURE_ALLOW_PRIVATE_NETWORK"], Egress.of(settings)
    public = partial(HttpClient, allow_private=private, egress=egress)
    unipile = public(any_port=True)
    ports.egress.connect(egress)
    mail = mail_system(settings)
    ports.signed_mail.connect(mail)
    ports.mail_consent.connect(mail_consents(settings))
    ports.domain_records.connect(Dns(settings["OVERTURE_DNS"]))
    ports.connect({"sandbox": SandboxNetwork(), "smtp": mail, "unipile": UnipileNetwork(unipile)})
    ports.connect_network_searches({"sandbox": SandboxNetworkSearch(), "unipile": UnipileNetworkSearch(unipile)})
    ports.hosted.connect(UnipileSignIn(unipile))
    ports.sandbox_signals.connect(SandboxSignals())
    ports.sandbox_contacts.connect(SandboxContacts())
    ports.site_reader.connect(WebsiteReader(public(plain=True)))
    _connect_writer(settings)
    ports.site_proof.connect(WebsiteProof(public(plain=True)))
    ports.sandbox_people.connect(SandboxDirectory())
    ports.sandbox_analytics.connect(SandboxAnalytics())
    ports.sandbox_payments.connect(SandboxPayments())
    analytics, payments = settings["OVERTURE_POSTHOG_URL"], settings["OVERTURE_STRIPE_URL"]
    ports.analytics.connect(PostHog(_client(settings, analytics != posthog.CLOUDS), analytics))
    ports.payments.connect(Stripe(_client(settings, payments != stripe.HOST), payments))
    ports.checkout.disconnect()
    if key := settings["OVERTURE_STRIPE_KEY"]:
        secret, prices = settings["OVERTURE_STRIPE_WEBHOOK_SECRET"], settings["OVERTURE_STRIPE_PRICES"]
        client = _client(settings, payments != stripe.HOST)
        ports.checkout.connect(StripeSeller(client, key, secret, prices, payments))
    ports.connect_services(_services(settings))
    ports.public_signals.connect(_public_signals(settings))
    webhooks = WebhookHttpClient(allow_private=private, egress=egress)
    ports.webhook_client.connect(webhooks)
    ports.chats.connect(WebhookChats(webhooks, settings["BASE_URL"], known_only=settings["OVERTURE_CHATS"] == "known"))
    ports.alert_mail.disconnect()
    if settings["OVERTURE_MAIL_URL"]:
        sender = settings["OVERTURE_MAIL_FROM"]
        rules = Rules(allow_private=True, tls=egress.tls)
        ports.alert_mail.connect(SystemMailer(settings["OVERTURE_MAIL_URL"], sender, settings["BASE_URL"], rules))


def _client(settings: dict[str, Any], chosen: bool) -> HttpClient:
    """Return a client for a service at its usual address, or at the operator's, which may be private."""
    private = settings["OVERTURE_ALLOW_PRIVATE_NETWORK"]
    return HttpClient(allow_private=private or chosen, plain=chosen, egress=Egress.of(settings))


def _services(settings: dict[str, Any]) -> list[ports.ServiceAdapter]:
    """Return the services a workspace can connect, in display order."""
    private = settings["OVERTURE_ALLOW_PRIVATE_NETWORK"]
    unipile = HttpClient(allow_private=private, any_port=True, egress=Egress.of(settings))
    at = {name: settings[f"OVERTURE_{name}_URL"] for name in ("HUNTER", "PDL", "APOLLO", "HUBSPOT", "PIPEDRIVE")}
    return [
        UnipileService(unipile, settings["OVERTURE_UNIPILE_HOSTS"], any_host=private),
        Hunter(_client(settings, at["HUNTER"] != hunter.URL), at["HUNTER"]),
        PeopleDataLabs(_client(settings, at["PDL"] != pdl.URL), at["PDL"]),
        Apollo(_client(settings, at["APOLLO"] != apollo.URL), at["APOLLO"]),
        HubSpot(_client(settings, at["HUBSPOT"] != hubspot.URL), at["HUBSPOT"]),
        Pipedrive(_client(settings, at["PIPEDRIVE"] != pipedrive.URL), at["PIPEDRIVE"]),
        CalCom(),
        Calendly(),
    ]


def _public_signals(settings: dict[str, Any]) -> PublicSignals:
    """Return the public signals; websites must be public, other sources use the operator's addresses."""
    private, urls = settings["OVERTURE_ALLOW_PRIVATE_NETWORK"], settings["OVERTURE_SIGNAL_URLS"]
    sites = HttpClient(allow_private=private, plain=True, egress=Egress.of(settings))
    return PublicSignals(Public(sites, _client(settings, bool(urls)), urls, settings["OVERTURE_CONTACT"]))


def _connect_writer(settings: dict[str, Any]) -> None:
    """Connect the writer. Only the operator names a model, so that it may be on a private network."""
    url, name, key = (settings[f"OVERTURE_MODEL_{one}"] for one in ("URL", "NAME", "KEY"))
    fixed = ChosenModel(url, name, key) if url and name else None
    client = HttpClient(allow_private=True, egress=Egress.of(settings))
    switch = ModelSwitch(client, settings["OVERTURE_MODEL_TOKENS"], fixed)
    ports.models.connect(switch)
    ports.writer.connect(SwitchedWriter(switch.current, BuiltInWriter()))
