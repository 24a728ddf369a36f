"""The public sources as they answer: job boards, SEC EDGAR, GDELT and news feeds, and the websites of companies."""

import json
from collections.abc import Mapping
from typing import Any

from app.providers.public_signals import Public, PublicSignals
from app.providers.public_signals.web import HOSTS, Pace
from tests.providers.website.websites import Answer, Web

SOURCES = {name: f"http://{{name}}.{name}.test" if name == "recruitee" else f"http://{name}.test" for name in HOSTS}
FEED = '<rss version="2.0"><channel>{items}</channel></rss>'
ITEM = (
    "<item><title>{title}</title><link>{url}</link><pubDate>{date}</pubDate>"
    '<source url="https://paper.example">{paper}</source></item>'
)


def as_json(found: Any, status: int = 200) -> Answer:
    return status, {"content-type": "application/json"}, json.dumps(found).encode()


def words(text: str, status: int = 200, **headers: str) -> Answer:
    return (
        status,
        {"content-type": "text/plain", **{name.replace("_", "-"): value for name, value in headers.items()}},
        text.encode(),
    )


def feed(*items: Mapping[str, str]) -> Answer:
    body = FEED.format(items="".join(ITEM.format(**{"paper": "", **item}) for item in items))
    return 200, {"content-type": "application/rss+xml"}, body.encode()


class PublicWeb:
    """Every name leads here. `pages` are answered by host and path, the query left out; all else is not found."""

    def __init__(self) -> None:
        self.pages: dict[str, Answer] = {}
        self.web = Web(lambda host, path: self.pages.get(f"{host}{path.partition('?')[0]}", (404, {}, b"")))

    @property
    def asked(self) -> list[str]:
        return self.web.asked

    def signals(
        self, contact: str = "ops@overture.example", paces: Mapping[str, Pace] | None = None, **urls: str
    ) -> PublicSignals:
        """The adapter, for whom all of the internet is here; no one is made to wait."""
        client = self.web.client
        patient = {name: Pace(0) for name in HOSTS}
        return PublicSignals(Public(client, client, SOURCES | urls, contact, patient | dict(paces or {})))

    def stop(self) -> None:
        self.web.stop()
