"""Settings: name, type, default and meaning. Unsafe values refuse to start."""

import os
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from app.core import installation

LEAST_SECRET = 32  # characters
LEAST_TOKEN = 16


class UnsafeSetting(Exception):
    """An unsafe value; the sentence says why and what to do."""


@dataclass(frozen=True)
class Setting:
    """One setting: read by `parse`, described in docs/settings.md by `meaning`."""

    name: str
    parse: Callable[[str], Any]
    default: str
    meaning: str
    secret: bool = False
    shared: bool = False  # other programs read it, too, and some people write it in small letters


def _switch(text: str) -> bool:
    words = {"1": True, "true": True, "on": True, "yes": True, "0": False, "false": False, "off": False, "no": False}
    if text.lower() not in words:
        raise ValueError("use 1 or 0")
    return words[text.lower()]


def _count(text: str) -> int:
    if not text.isdigit():
        raise ValueError("use a whole number")
    return int(text)


def _url(text: str) -> str:
    if not text:
        return ""
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("use an address such as https://outreach.example.com")
    return text.rstrip("/")


def _mail_url(text: str) -> str:
    how = "use smtp://user:password@host:587, with characters such as / or @ in the password percent-encoded"
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise ValueError(how) from None
    if text and (parts.scheme not in ("smtp", "smtps") or not parts.hostname or parts.path.strip("/") or parts.query):
        raise ValueError(how)
    if parts.scheme == "smtps" and port not in (None, 465):
        raise ValueError("smtps uses port 465; use smtp:// for any other port")
    return text


def _mail_from(text: str) -> str:
    if text and not re.fullmatch(r"[^<>@\"\r\n]*<[!-;=?A-~]+@[A-Za-z0-9.-]+>|[!-;=?A-~]+@[A-Za-z0-9.-]+", text):
        raise ValueError("use an address such as Overture <overture@example.com>")
    return text


def _proxy(text: str) -> str:
    if not text:
        return ""
    parts = urlsplit(text if "://" in text else f"http://{text}")
    if parts.scheme != "http" or not parts.hostname or parts.port == 0:
        raise ValueError("use an address such as http://user:password@proxy.example.com:3128")
    return f"http://{parts.netloc}"


def _hosts(text: str) -> tuple[str, ...]:
    return tuple(entry.strip().lower() for entry in text.split(",") if entry.strip())


def _emails(text: str) -> frozenset[str]:
    found = frozenset(entry.strip().lower() for entry in text.split(",") if entry.strip())
    if not all(entry.count("@") == 1 for entry in found):
        raise ValueError("use email addresses separated by commas")
    return found


def _token(text: str) -> str:
    if text and (len(text) < LEAST_TOKEN or not text.isascii() or any(letter.isspace() for letter in text)):
        raise ValueError(f"use at least {LEAST_TOKEN} characters without spaces")
    return text


def _port(text: str) -> int:
    if _count(text) > 65535:
        raise ValueError("use a port from 1 to 65535")
    return int(text)


def _certificates(text: str) -> str:
    if text and not Path(text).exists():
        raise ValueError("there is no such file or folder")
    return text


PAIRS = [  # both or neither have to be set
    ("OVERTURE_MODEL_URL", "OVERTURE_MODEL_NAME"),
    ("OVERTURE_MAIL_URL", "OVERTURE_MAIL_FROM"),
    ("OVERTURE_GOOGLE_CLIENT_ID", "OVERTURE_GOOGLE_CLIENT_SECRET"),
    ("OVERTURE_MICROSOFT_CLIENT_ID", "OVERTURE_MICROSOFT_CLIENT_SECRET"),
]
SOLD = ("starter", "growth", "scale")  # plans that an operator can sell


def _prices(text: str) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in text.replace(" ", "").split(",") if pair]
    if not all(plan in SOLD and price.startswith("price_") for plan, _, price in pairs):
        raise ValueError("set a price for starter, growth or scale, such as starter=price_123,growth=price_456")
    return {plan: price for plan, _, price in pairs}


def _sources(text: str) -> dict[str, str]:
    """Parse names of public sources with their addresses; an empty address turns one off."""
    pairs = [pair.partition("=") for pair in text.replace(" ", "").split(",") if pair]
    if not all(name and mark and (not url or urlsplit(url).hostname) for name, mark, url in pairs):
        raise ValueError("set each source with its address, such as gdelt=https://api.gdeltproject.org")
    return {name: url.rstrip("/") for name, _, url in pairs}


def _contact(text: str) -> str:
    if text and (text.count("@") != 1 or any(letter.isspace() or letter in "<>()" for letter in text)):
        raise ValueError("use an email address such as ops@example.com")
    return text


def _tenant(text: str) -> str:
    if not (text.replace("-", "").replace(".", "").isalnum() and text.isascii()):
        raise ValueError("use a tenant's id or domain, or common")
    return text


def _secrets(text: str) -> tuple[str, ...]:
    found = tuple(part.strip().replace("%2C", ",") for part in text.split(",") if part.strip())
    if any(len(each) < LEAST_SECRET for each in found):
        raise ValueError(f"each value needs at least {LEAST_SECRET} characters; write a comma inside a value as %2C")
    return found


def _one_of(*words: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in words:
            raise ValueError("use " + " or ".join(words))
        return text

    return parse


SETTINGS = [
    Setting("DATABASE_URL", str, "", "The database. If empty, an SQLite file under `instance/` is used."),
    Setting("SECRET_KEY", str, "", "At least 32 characters. If empty, one is created in `instance/secret_key`."),
    Setting(
        "OVERTURE_OLD_SECRET_KEYS",
        _secrets,
        "",
        "Earlier values of `SECRET_KEY`, for data encrypted with them: newest first, separated by "
        "commas; write a comma inside a value as `%2C`.",
        secret=True,
    ),
    Setting("BASE_URL", _url, "", "The public address of this server. Empty: `http://127.0.0.1:PORT`."),
    Setting("PORT", _count, "8000", "The port `overture serve` listens on."),
    Setting("OVERTURE_HOST", str, "127.0.0.1", "The address `overture serve` listens on."),
    Setting("OVERTURE_THREADS", _count, "4", "How many pages, and how many API requests, a process serves at once."),
    Setting("OVERTURE_SCHEDULER", _switch, "1", "Whether `overture serve` also runs campaigns and deliveries."),
    Setting(
        "OVERTURE_ENGINE",
        _one_of("embedded", "procrastinate"),
        "embedded",
        "`procrastinate` runs campaigns in `overture worker` processes on any number of machines; Postgres only.",
    ),
    Setting("OVERTURE_SIGNUP", _switch, "1", "Whether the first visitor of an empty server may set it up."),
    Setting("OVERTURE_RATE_LIMIT", _one_of("on", "off"), "on", "`off` turns off the rate limits of `/v1`; for tests."),
    Setting(
        "OVERTURE_ALLOW_PRIVATE_NETWORK",
        _switch,
        "0",
        "Lets webhooks reach private addresses and plain http; for development and tests.",
    ),
    Setting(
        "HTTPS_PROXY",
        _proxy,
        "",
        "A proxy for outgoing HTTPS requests: `http://user:password@host:3128`. Must block private addresses.",
        secret=True,
        shared=True,
    ),
    Setting("HTTP_PROXY", _proxy, "", "A proxy for outgoing HTTP requests.", secret=True, shared=True),
    Setting(
        "NO_PROXY",
        _hosts,
        "",
        "Hosts, domains and networks that are called without the proxy: `localhost,.example.com,10.0.0.0/8`.",
        shared=True,
    ),
    Setting(
        "REQUESTS_CA_BUNDLE",
        _certificates,
        "",
        "A file or folder of certificates to trust instead of the system's, for outgoing HTTPS and mail servers.",
    ),
    Setting(
        "OVERTURE_OPERATORS",
        _emails,
        "",
        "Confirmed emails of server admins. If empty, the first user and those added by `overture user admin`.",
    ),
    Setting(
        "OVERTURE_METRICS_TOKEN",
        _token,
        "",
        "Turns on `GET /metrics` for requests with `Authorization: Bearer TOKEN`; at least 16 characters.",
        secret=True,
    ),
    Setting(
        "OVERTURE_METRICS_PORT",
        _port,
        "0",
        "A separate port at `OVERTURE_HOST` for metrics, without a token; one per process. `0`: none.",
    ),
    Setting(
        "OVERTURE_HEALTH_PORT",
        _port,
        "0",
        "A port at `OVERTURE_HOST` where `overture worker` serves `GET /healthz`; one per worker. `0`: none.",
    ),
    Setting("SENTRY_DSN", _url, "", "Where errors are reported; needs `pip install overture[sentry]`.", secret=True),
    Setting("OVERTURE_TRUSTED_PROXIES", _count, "0", "How many reverse proxies are in front of this process."),
    Setting(
        "OVERTURE_ALLOWED_HOSTS",
        _hosts,
        "",
        "Allowed Host headers, including that of health checks; `.example.com` includes subdomains. Empty: any.",
    ),
    Setting("OVERTURE_UNIPILE_HOSTS", _hosts, "", "More hosts that workspaces may enter as their Unipile address."),
    Setting("OVERTURE_DEVELOPMENT", _switch, "0", "Shows `/dev/components`; templates reload and are strict."),
    Setting("OVERTURE_LOG", _one_of("json", "text"), "json", "The format of log lines."),
    Setting("OVERTURE_LOG_LEVEL", _one_of("debug", "info", "warning", "error"), "info", "The lowest log level."),
    Setting(
        "OVERTURE_MODEL_URL", _url, "", "An OpenAI-compatible model: OpenAI, Ollama, vLLM and others. Empty: none."
    ),
    Setting("OVERTURE_MODEL_NAME", str, "", "The model's name."),
    Setting("OVERTURE_MODEL_KEY", str, "", "The model's key, if it needs one."),
    Setting("OVERTURE_MODEL_TOKENS", _count, "500000", "Daily token limit of each workspace. `0` for no limit."),
    Setting("OVERTURE_API_KEY", str, "", "The API key for `overture mcp`.", secret=True),
    Setting(
        "OVERTURE_MAIL_URL",
        _mail_url,
        "",
        "The mail server for Overture's own email: `smtp://user:password@host:587`. If empty, no email is sent.",
        secret=True,
    ),
    Setting("OVERTURE_MAIL_FROM", _mail_from, "", "The sender of that email: `Overture <overture@example.com>`."),
    Setting(
        "OVERTURE_CHATS",
        _one_of("any", "known"),
        "any",
        "Where chat notifications may go: `any` public https address, or only `known` chats.",
    ),
    Setting(
        "OVERTURE_POSTHOG_URL",
        _url,
        "https://{region}.posthog.com",
        "The address of PostHog. `{region}` becomes `us` or `eu`; an address without it is your own PostHog.",
    ),
    Setting("OVERTURE_STRIPE_URL", _url, "https://api.stripe.com", "The address of Stripe's API; for tests."),
    Setting("OVERTURE_GOOGLE_TOKEN_URL", _url, "https://oauth2.googleapis.com", "The URL for Google mailbox tokens."),
    Setting(
        "OVERTURE_MICROSOFT_TOKEN_URL",
        _url,
        "https://login.microsoftonline.com",
        "The URL for Microsoft mailbox tokens.",
    ),
    Setting("OVERTURE_GOOGLE_SIGN_IN_URL", _url, "https://accounts.google.com", "The URL of Google's mailbox sign-in."),
    Setting("OVERTURE_GOOGLE_CLIENT_ID", str, "", "Your OAuth client at Google, for mailbox sign-in."),
    Setting("OVERTURE_GOOGLE_CLIENT_SECRET", str, "", "The client's secret.", secret=True),
    Setting("OVERTURE_MICROSOFT_CLIENT_ID", str, "", "Your application at Microsoft, for mailbox sign-in."),
    Setting("OVERTURE_MICROSOFT_CLIENT_SECRET", str, "", "The application's secret.", secret=True),
    Setting("OVERTURE_MICROSOFT_TENANT", _tenant, "common", "Whose mailboxes can sign in: a tenant's id, or `common`."),
    Setting(
        "OVERTURE_DNS",
        str,
        "",
        "The DNS server for checking mail domains, as `host:port`. If empty, the system's DNS server is used.",
    ),
    Setting("OVERTURE_HUNTER_URL", _url, "https://api.hunter.io/v2", "The address of Hunter; for tests."),
    Setting("OVERTURE_PDL_URL", _url, "https://api.peopledatalabs.com/v5", "The address of People Data Labs."),
    Setting("OVERTURE_APOLLO_URL", _url, "https://api.apollo.io/api/v1", "The address of Apollo; for tests."),
    Setting("OVERTURE_HUBSPOT_URL", _url, "https://api.hubapi.com", "The address of HubSpot; for tests."),
    Setting("OVERTURE_PIPEDRIVE_URL", _url, "https://api.pipedrive.com", "The address of Pipedrive; for tests."),
    Setting(
        "OVERTURE_SIGNAL_URLS",
        _sources,
        "",
        "Other addresses for public signals, as `gdelt=https://…,google-news=https://…`; an "
        "empty address turns one off.",
    ),
    Setting(
        "OVERTURE_CONTACT",
        _contact,
        "",
        "Your contact address, shown on the Trust page and sent to SEC EDGAR. If empty, SEC EDGAR isn't used.",
    ),
    Setting("OVERTURE_STRIPE_KEY", str, "", "Your Stripe key, if you sell plans. If empty, plans are free."),
    Setting("OVERTURE_STRIPE_WEBHOOK_SECRET", str, "", "The secret of Stripe's webhook: `whsec_…`."),
    Setting(
        "OVERTURE_STRIPE_PRICES", _prices, "", "The plans you sell: `starter=price_…,growth=price_…,scale=price_…`."
    ),
    Setting(
        "OVERTURE_INSTANCE",
        str,
        "instance",
        "The folder for the SQLite file, the secret and backups, relative to the current folder.",
    ),
    Setting(
        "OVERTURE_BACKUP",
        _one_of("on", "without-secret", "off"),
        "on",
        "Nightly backups: `on` (with the secret key), `without-secret` or `off`.",
    ),
    Setting("OVERTURE_BACKUP_FOLDER", str, "", "The folder for backups. If empty, `backups` in the instance folder."),
    Setting("OVERTURE_BACKUP_KEEP", _count, "7", "How many backups to keep; older ones are deleted."),
]


def load(environ: Mapping[str, str] | None = None, **overrides: Any) -> dict[str, Any]:
    """Read all settings from the environment and `overrides`; UnsafeSetting names a wrong one."""
    environ = os.environ if environ is None else environ
    values: dict[str, Any] = {}
    for setting in SETTINGS:
        text = _read(environ, setting)
        try:
            values[setting.name] = setting.parse(text) if text else setting.parse(setting.default or "")
        except ValueError as problem:
            shown = "not usable" if setting.secret else repr(text)
            raise UnsafeSetting(f"{setting.name} is {shown}: {problem}.") from None
    values.update(overrides)
    _complete(values)
    _refuse_unsafe(values)
    return values


def unknown(environ: Mapping[str, str] | None = None) -> list[str]:
    """Return names that look like our settings but are unknown, probably misspelled."""
    names = {setting.name for setting in SETTINGS}
    environ = os.environ if environ is None else environ
    return sorted(name for name in environ if name.startswith("OVERTURE_") and name.removesuffix("_FILE") not in names)


def _read(environ: Mapping[str, str], setting: Setting) -> str:
    """Return a setting's text; `NAME_FILE` names a file with it, for secrets mounted by a container."""
    file = environ.get(setting.name + "_FILE")
    if file:
        return Path(file).read_text().strip()
    return (environ.get(setting.name) or (setting.shared and environ.get(setting.name.lower())) or "").strip()


def _complete(values: dict[str, Any]) -> None:
    instance = Path(values["OVERTURE_INSTANCE"]).absolute()
    if not values["DATABASE_URL"]:
        instance.mkdir(parents=True, exist_ok=True)
        values["DATABASE_URL"] = f"sqlite:///{instance / 'overture.db'}"
    values["OVERTURE_BACKUP_FOLDER"] = values["OVERTURE_BACKUP_FOLDER"] or str(instance / "backups")
    values["BASE_URL"] = values["BASE_URL"] or f"http://127.0.0.1:{values['PORT']}"
    values["DATABASE_URL"] = with_driver(values["DATABASE_URL"])
    if not values["SECRET_KEY"]:
        values["SECRET_KEY"] = _kept_secret(instance / "secret_key")


def with_driver(url: str) -> str:
    """Return a database's address with the name of our driver for it."""
    if url.startswith(("postgres://", "postgresql://")):
        return "postgresql+psycopg://" + url.split("://", 1)[1]
    return url


def is_database(url: str) -> bool:
    """Return whether the URL names a kind of database that we support."""
    return url.startswith(("sqlite:///", "postgresql+psycopg://"))


def _kept_secret(file: Path) -> str:
    file.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        return file.read_text().strip()
    with os.fdopen(handle, "w") as opened:
        opened.write(secrets.token_urlsafe(48))
    return file.read_text().strip()


def secret_in_place(environ: Mapping[str, str] | None = None) -> str:
    """Return the secret key of the environment or of the instance folder; '' if there is none. Makes none."""
    environ = os.environ if environ is None else environ
    known = {setting.name: setting for setting in SETTINGS}
    kept = Path(_read(environ, known["OVERTURE_INSTANCE"]) or known["OVERTURE_INSTANCE"].default) / "secret_key"
    return _read(environ, known["SECRET_KEY"]) or (kept.read_text().strip() if kept.exists() else "")


def is_local(url: str) -> bool:
    """Return whether only this machine can reach the address."""
    return urlsplit(url).hostname in ("localhost", "127.0.0.1", "::1")


def called_at(settings: Mapping[str, Any]) -> str:
    """Return the public address for webhooks; '' if only this machine or an unsafe line leads there."""
    url: str = settings["BASE_URL"]
    return url if installation.is_public(url) or settings["OVERTURE_ALLOW_PRIVATE_NETWORK"] else ""


def _refuse_unsafe(values: dict[str, Any]) -> None:
    secret, base = values["SECRET_KEY"], urlsplit(values["BASE_URL"])
    if len(secret) < LEAST_SECRET or len(set(secret)) < 8:
        raise UnsafeSetting("SECRET_KEY is too easy to guess. Use at least 32 random characters, or leave it empty.")
    if not is_database(values["DATABASE_URL"]):
        raise UnsafeSetting("DATABASE_URL must begin with sqlite:/// or postgresql://.")
    local = is_local(values["BASE_URL"])
    public = values["OVERTURE_HOST"] not in ("localhost", "127.0.0.1", "::1") and not local
    if public and values["OVERTURE_DEVELOPMENT"]:
        raise UnsafeSetting("OVERTURE_DEVELOPMENT must be 0 on a public server.")
    if base.scheme == "https" and values["OVERTURE_ALLOW_PRIVATE_NETWORK"]:
        raise UnsafeSetting(
            "OVERTURE_ALLOW_PRIVATE_NETWORK must be 0 on a public server: webhooks could reach your internal network."
        )
    for one, other in PAIRS:
        if bool(values[one]) != bool(values[other]):
            raise UnsafeSetting(f"{one} and {other} only work together. Set both or neither.")
    selling = [bool(values[f"OVERTURE_STRIPE_{name}"]) for name in ("KEY", "WEBHOOK_SECRET", "PRICES")]
    if any(selling) and not all(selling):
        raise UnsafeSetting(
            "OVERTURE_STRIPE_KEY, OVERTURE_STRIPE_WEBHOOK_SECRET and OVERTURE_STRIPE_PRICES "
            "only work together. Set all of them, or none."
        )
    if not 1 <= values["OVERTURE_THREADS"] <= 64:
        raise UnsafeSetting("OVERTURE_THREADS must be from 1 to 64.")
    if not 1 <= values["PORT"] <= 65535:
        raise UnsafeSetting("PORT must be from 1 to 65535.")
