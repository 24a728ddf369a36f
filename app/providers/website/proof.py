"""Whether a website carries a mark: its home page, as it is sent, redirects followed."""

from urllib.parse import urljoin

from app.ports import Refused
from app.providers.fetching import HttpClient

MOST_REDIRECTS, MOST_BYTES, WITHIN = 3, 1_000_000, 8.0
HEADERS = {"user-agent": "Overture/1 (looks for its mark)", "accept": "text/html", "accept-encoding": "identity"}


class HomePageProof:
    """A `ports.SiteProof` over HTTP."""

    def __init__(self, client: HttpClient) -> None:
        self._client = client

    def holds(self, address: str, mark: str) -> bool:
        """See SiteProof."""
        url = address if "://" in address else f"https://{address}"
        for _ in range(MOST_REDIRECTS + 1):
            answer = self._client.call("GET", url, HEADERS, most=MOST_BYTES, within=WITHIN)
            if answer.status in (301, 302, 303, 307, 308) and answer.headers.get("location"):
                url = urljoin(url, answer.headers["location"])
                continue
            if answer.status >= 400:
                raise Refused(f"The home page answered with {answer.status}.")
            return mark.encode() in answer.body
        raise Refused("The home page leads from page to page without end.")
