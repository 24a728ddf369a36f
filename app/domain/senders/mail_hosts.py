"""Which servers belong to an address: those of providers that everybody knows, told by the domain or by its MX."""

from dataclasses import dataclass

from app import ports
from app.core.db import end_read


@dataclass(frozen=True)
class Provider:
    """A provider of mailboxes: its servers, and what a password is called there."""

    name: str
    smtp: str
    imap: str
    smtp_port: int = 587
    imap_port: int = 993
    advice: str = "Make an app password there."


GMAIL = Provider("Google", "smtp.gmail.com", "imap.gmail.com", advice="Make an app password, or connect with a token.")
MICROSOFT = Provider(
    "Microsoft",
    "smtp.office365.com",
    "outlook.office365.com",
    advice="Microsoft takes no passwords over IMAP: connect with a token.",
)
ZOHO, ZOHO_EU = Provider("Zoho", "smtp.zoho.com", "imap.zoho.com"), Provider("Zoho", "smtp.zoho.eu", "imap.zoho.eu")
FASTMAIL = Provider("Fastmail", "smtp.fastmail.com", "imap.fastmail.com", 465)
ICLOUD = Provider("iCloud", "smtp.mail.me.com", "imap.mail.me.com")
YAHOO = Provider("Yahoo", "smtp.mail.yahoo.com", "imap.mail.yahoo.com", 465)
AOL = Provider("AOL", "smtp.aol.com", "imap.aol.com", 465)
GMX, GMX_COM = Provider("GMX", "mail.gmx.net", "imap.gmx.net"), Provider("GMX", "mail.gmx.com", "imap.gmx.com")
WEB_DE = Provider("WEB.DE", "smtp.web.de", "imap.web.de", advice="Switch IMAP on in its settings first.")
IONOS = Provider("IONOS", "smtp.ionos.com", "imap.ionos.com", advice="The password of the mailbox is the one to give.")
IONOS_DE = Provider("IONOS", "smtp.ionos.de", "imap.ionos.de", advice="The password of the mailbox is the one to give.")
OVH = Provider("OVH", "ssl0.ovh.net", "ssl0.ovh.net", advice="The password of the mailbox is the one to give.")
MAILBOX_ORG = Provider("mailbox.org", "smtp.mailbox.org", "imap.mailbox.org")
GANDI = Provider("Gandi", "mail.gandi.net", "mail.gandi.net", advice="The password of the mailbox is the one to give.")
BY_DOMAIN = {
    **dict.fromkeys(("gmail.com", "googlemail.com"), GMAIL),
    **dict.fromkeys(("outlook.com", "hotmail.com", "live.com", "msn.com", "outlook.de", "hotmail.fr"), MICROSOFT),
    **dict.fromkeys(("zoho.com", "zohomail.com"), ZOHO),
    "zohomail.eu": ZOHO_EU,
    **dict.fromkeys(("fastmail.com", "fastmail.fm"), FASTMAIL),
    **dict.fromkeys(("icloud.com", "me.com", "mac.com"), ICLOUD),
    **dict.fromkeys(("yahoo.com", "yahoo.de", "yahoo.fr", "yahoo.co.uk", "ymail.com"), YAHOO),
    "aol.com": AOL,
    **dict.fromkeys(("gmx.de", "gmx.net", "gmx.at", "gmx.ch"), GMX),
    "gmx.com": GMX_COM,
    "web.de": WEB_DE,
    "mailbox.org": MAILBOX_ORG,
}
BY_EXCHANGE = {  # by the end of the name of the server that takes a domain's mail
    "google.com": GMAIL,
    "googlemail.com": GMAIL,
    "mail.protection.outlook.com": MICROSOFT,
    "zoho.com": ZOHO,
    "zoho.eu": ZOHO_EU,
    "messagingengine.com": FASTMAIL,
    "icloud.com": ICLOUD,
    "ionos.com": IONOS,
    "ionos.de": IONOS_DE,
    "kundenserver.de": IONOS_DE,
    "ovh.net": OVH,
    "mailbox.org": MAILBOX_ORG,
    "gandi.net": GANDI,
}


def provider_of(address: str) -> Provider | None:
    """The provider of that address, or None. May call out, to ask who takes the domain's mail."""
    domain = address.rpartition("@")[2].lower()
    if domain in BY_DOMAIN or not domain:
        return BY_DOMAIN.get(domain)
    end_read()
    try:
        exchanges = ports.domain_records().mail_servers(domain)
    except ports.ProviderError:
        return None
    for host in exchanges:
        for ending, provider in BY_EXCHANGE.items():
            if host == ending or host.endswith("." + ending):
                return provider
    return None
