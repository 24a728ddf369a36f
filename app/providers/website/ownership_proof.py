"""Verify a website by a tag in its home page's head or by a file."""

from html.parser import HTMLParser

from app.core.text import joined_url
from app.ports import ProviderError, Refused
from app.providers.http import HttpClient, HttpResponse
from app.providers.website.parsing import host

MOST_REDIRECTS, MOST_BYTES, MOST_FILE, WITHIN = 3, 1_000_000, 10_000, 8.0
HEADERS = {"user-agent": "Overture/1 (looks for its mark)", "accept": "text/html", "accept-encoding": "identity"}
FILE = "/.well-known/overture-site.txt"
NAME = "overture-site"


class WebsiteProof:
    """A `ports.SiteProof` over HTTP."""

    def __init__(self, client: HttpClient) -> None:
        self._client = client

    def holds(self, address: str, mark: str) -> bool:
        url = address if "://" in address else f"https://{address}"
        problem: ProviderError | None = None
        try:
            page = self._get(url, MOST_BYTES)
            if page.status < 400 and _marked(page.body, mark):
                return True
            if page.status >= 400:
                problem = Refused(f"The home page returned {page.status}.")
        except ProviderError as failure:
            problem = failure
        if self._has_file(url, mark):
            return True
        if problem:
            raise problem
        return False

    def _has_file(self, url: str, mark: str) -> bool:
        try:
            answer = self._get(joined_url(url, FILE), MOST_FILE)
        except ProviderError:
            return False  # the home page reports what is wrong with the website
        lines = answer.body.decode(errors="replace").splitlines()
        return answer.status == 200 and mark in [line.strip() for line in lines]

    def _get(self, url: str, most: int) -> HttpResponse:
        """Get an address; follow redirects within the same website only."""
        home = host(url)
        for _ in range(MOST_REDIRECTS + 1):
            answer = self._client.call("GET", url, HEADERS, most=most, within=WITHIN)
            if answer.status not in (301, 302, 303, 307, 308) or not answer.headers.get("location"):
                return answer
            url = joined_url(url, answer.headers["location"])
            if not host(url):
                raise Refused("The website redirects to an invalid address.")
            if host(url) != home:
                raise Refused(f"The website redirects to {host(url)[:100]}. Use that address instead.")
        raise Refused("The website keeps redirecting.")


def _marked(page: bytes, mark: str) -> bool:
    found = _Marks()
    found.feed(page.decode(errors="replace"))
    return mark in found.marks


class _Marks(HTMLParser):
    """Collects our meta tags, and scripts that name a site; text on the page does not count."""

    def __init__(self) -> None:
        super().__init__()
        self.marks: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        if tag == "meta" and known.get("name") == NAME:
            self.marks.add(known.get("content") or "")
        if tag == "script":
            self.marks.add(known.get(f"data-{NAME}") or "")
