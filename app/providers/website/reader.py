"""Read a website: the home page, then the few pages that describe the business."""

import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from app.core import languages
from app.core.text import joined_url
from app.ports import ProviderError, Refused, Site, SitePage, Unreachable
from app.providers import addresses
from app.providers.http import HttpClient, HttpResponse
from app.providers.website import character_sets, robots
from app.providers.website.address import located
from app.providers.website.business_name import name_of
from app.providers.website.page_selection import chosen, kind_of
from app.providers.website.parsing import WORDS, Page, host, parse

MOST_PAGES, MOST_REDIRECTS = 8, 3
MOST_BYTES, MOST_OF_LISTS = 2_000_000, 500_000
MOST_OF_SITE = 8_000_000  # bytes of all pages of a visit: parsing one cannot be interrupted when the time is over
WHOLE, ONE_PAGE, ONE_LIST = 18.0, 8.0, 3.0  # seconds
FEWEST_WORDS = 12
HEADERS = {
    "user-agent": "Overture/1 (reads the public pages of a business)",
    "accept": "text/html,application/xhtml+xml;q=0.9,text/plain;q=0.5,*/*;q=0.1",
    "accept-encoding": "gzip",
    "accept-language": "en,*;q=0.5",
}
INSTEAD = "Describe your business instead."
_PARKED, _GUARDED = (re.compile("|".join(WORDS[name]), re.IGNORECASE) for name in ("parked", "guarded"))
_NO_ANSWER = ("The connection failed", "No connection", "The host name")
_LOCATION = re.compile(r"<loc>\s*(?:<!\[CDATA\[\s*)?([^<\]\s]{1,500})", re.IGNORECASE)


@dataclass(frozen=True)
class Loaded:
    """A page as it was taken apart, and as it came."""

    page: Page
    html: str
    headers: Mapping[str, str]


class WebsiteReader:
    """A `ports.SiteReader` over HTTP."""

    def __init__(self, client: HttpClient, *, whole: float = WHOLE, one_page: float = ONE_PAGE) -> None:
        self._client, self._whole, self._one_page = client, whole, one_page

    def read(self, address: str, progress: Callable[[str, int], None]) -> Site:
        try:
            return Visit(self._client, progress, self._whole, self._one_page).read(address)
        finally:
            self._client.close_idle()


class Visit:
    """One reading of one site, until its deadline. Every page may be Unreachable or Refused, in a sentence."""

    def __init__(self, client: HttpClient, progress: Callable[[str, int], None], whole: float, one_page: float) -> None:
        self._client, self._progress = client, progress
        self._whole, self._one_page = whole, one_page
        self._deadline = time.monotonic() + whole
        self._robots: dict[str, robots.Robots] = {}
        self._pages: list[SitePage] = []
        self._left = MOST_OF_SITE

    def read(self, address: str) -> Site:
        """Return the home page and the few other pages that matter."""
        home = self.home(address).page
        _require_words(home)
        self._pages.append(_site_page(home, "home"))
        seen, addressed = {home.text}, [home]
        for url, kind in self._next(home):
            if time.monotonic() > self._deadline - self._one_page / 8:
                break
            with suppress(ProviderError):  # a site is not worse known for one page that fails
                page = self.load(url).page
                if host(page.url) == host(home.url) and len(page.text) > 30 and page.text not in seen:
                    seen.add(page.text)
                    addressed += [page] * (kind != "customers")
                    if kind != "contact":  # which says nothing of what the business does
                        self._pages.append(_site_page(page, kind))
        if sum(len(page.text.split()) for page in self._pages) < FEWEST_WORDS:  # some home pages are only a picture
            raise Refused(f"{host(home.url)} has too little text. {INSTEAD}")
        told = " ".join(page.text for page in self._pages)
        language = languages.prefer(told, home.language)
        country, place = located(addressed, language)
        return Site(host(home.url), name_of(home, addressed[1:]), language, self._pages, country, place)

    def home(self, address: str) -> Loaded:
        """Return the home page of a typed address, trying the usual spellings."""
        url = normal(address)
        tries = [url]
        if "://" not in address:
            name = urlsplit(url).netloc
            tries += [f"https://www.{name}/"] * (name.count(".") == 1) + [f"http://{name}/"]
        problem = ""
        for one in tries:
            try:
                return self.load(one)
            except Unreachable as failure:
                problem = failure.sentence if not problem or not failure.sentence.startswith(_NO_ANSWER) else problem
                if time.monotonic() > self._deadline - self._one_page / 2:
                    break
        raise Unreachable(
            f"We couldn't read {host(url)}: {_lower(problem)} Try again, or describe your business instead."
        )

    def load(self, url: str) -> Loaded:
        """Return the page after a few redirects at most, if robots.txt allows it."""
        self._progress(url, len(self._pages))
        for _ in range(MOST_REDIRECTS + 1):
            if not self._allowed(url):
                raise Refused(f"{host(url)} doesn't allow automated reading (robots.txt). {INSTEAD}")
            if self._left <= 0:
                raise Refused(f"The pages at {host(url)} are larger than 8 MB in total. {INSTEAD}")
            answer = self._fetch(url, MOST_BYTES, self._one_page)
            self._left -= len(answer.body)
            if answer.status in (301, 302, 303, 307, 308) and answer.headers.get("location"):
                url = _followed(url, answer.headers["location"])
                continue
            loaded = self._parsed(url, answer)
            page = loaded.page
            if page.refresh and len(page.text.split()) < FEWEST_WORDS and page.refresh != url:
                url = _followed(url, page.refresh)
                continue
            return loaded
        raise Refused(f"{host(url)} keeps redirecting. {INSTEAD}")

    def _parsed(self, url: str, answer: HttpResponse) -> Loaded:
        kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
        _require_success(url, answer)
        if kind and not re.search(r"html|text/plain|xml", kind):
            raise Refused(f"{host(url)} is not a website: it returned {kind[:40]}. {INSTEAD}")
        if not answer.whole:
            raise Refused(f"The page at {host(url)} is larger than 2 MB. {INSTEAD}")
        html = character_sets.text(answer.body, answer.headers.get("content-type", ""))
        if kind != "text/plain" and html.strip() and "<" not in html[:5000]:
            raise Refused(f"{host(url)} is not a website: it returned no page. {INSTEAD}")
        return Loaded(parse(html, url), html, answer.headers)

    def _fetch(self, url: str, most: int, within: float) -> HttpResponse:
        within = min(within, self._deadline - time.monotonic())
        if within <= 0:
            raise Unreachable(f"{host(url)} is too slow: it took over {self._whole:g} seconds.")
        return self._client.call("GET", url, HEADERS, most=most, within=within)

    def _allowed(self, url: str) -> bool:
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in self._robots:
            self._robots[origin] = robots.parse(self._list(f"{origin}/robots.txt"))
        return self._robots[origin].allows(url)

    def _list(self, url: str) -> str:
        """Return a robots.txt or sitemap; '' when it is missing or unreachable."""
        with suppress(ProviderError):
            for _ in range(2):
                answer = self._fetch(url, MOST_OF_LISTS, min(ONE_LIST, self._one_page / 2))
                if answer.status in (301, 302, 307, 308) and answer.headers.get("location"):
                    url = joined_url(url, answer.headers["location"])
                    continue
                if answer.status == 200:
                    return character_sets.text(answer.body, "text/plain; charset=utf-8") if answer.whole else ""
                break
        return ""

    def _next(self, home: Page) -> list[tuple[str, str]]:
        """Return the other pages to read, from the home page's links, else from the sitemap."""
        found = list(chosen(home.url, home.links, MOST_PAGES - 1))
        if len({kind for _, kind in found}) < 3 and self._deadline - time.monotonic() > self._one_page:
            listed = [(url, "") for url in self._mapped(home.url)]
            found = list(chosen(home.url, [*home.links, *listed], MOST_PAGES - 1))
        return [(url, kind) for url, kind in found if self._allowed(url)]

    def _mapped(self, url: str) -> list[str]:
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        for sitemap in [*self._robots[origin].sitemaps, f"{origin}/sitemap.xml"][:2]:
            if host(sitemap) != host(url):
                continue
            locations = _LOCATION.findall(self._list(sitemap))[:2000]
            if locations and locations[0].endswith(".xml") and host(locations[0]) == host(url):
                pages = next((one for one in locations if "page" in one), locations[0])
                locations = _LOCATION.findall(self._list(pages))[:2000]
            if locations:
                return [one.replace("&amp;", "&") for one in locations if kind_of(one)]
        return []


def normal(address: str) -> str:
    """Return a typed address as a URL; raise Refused when it is invalid."""
    address = address.strip()
    if not address or re.search(r"\s", address) or len(address) > addresses.LONGEST_URL:
        raise Refused("Enter a website address such as example.com.")
    if "://" not in address:
        if re.match(r"[a-z][a-z0-9+.-]*:(?!\d)", address, re.IGNORECASE):
            raise Refused("Enter a website address such as example.com.")
        address = "https://" + address
    return _plain(address)


def _plain(url: str) -> str:
    """Return a URL in ASCII characters, without its fragment."""
    try:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise Refused("Enter a website address such as example.com.")
        netloc = parts.netloc
        if not netloc.isascii():
            name = parts.hostname.encode("idna").decode("ascii")
            netloc = name + (f":{parts.port}" if parts.port else "")
    except ValueError:  # also what the codec of host names raises
        raise Refused("Enter a website address such as example.com.") from None
    keep = "/%:@!$&'()*+,;=~-._?[]"
    return parts._replace(
        netloc=netloc, path=quote(parts.path or "/", safe=keep), query=quote(parts.query, safe=keep), fragment=""
    ).geturl()


def _followed(url: str, location: str) -> str:
    try:
        return _plain(joined_url(url, location.strip()[: addresses.LONGEST_URL]))
    except Refused:
        raise Refused(f"{host(url)} redirects to an address that is not a website. {INSTEAD}") from None


def _require_success(url: str, answer: HttpResponse) -> None:
    name, status = host(url), answer.status
    guarded = status in (202, 401, 403, 429, 451, 503) and _GUARDED.search(answer.body[:5000].decode(errors="replace"))
    if guarded or status in (401, 403, 429, 451):
        raise Refused(f"{name} doesn't allow automated reading. {INSTEAD}")
    if status in (404, 410):
        raise Refused(f"No page at {url}. Check the address, or describe your business instead.")
    if status >= 500:
        raise Unreachable(f"The website returned an error ({status}).")
    if status != 200:
        raise Refused(f"{name} returned no page ({status}). {INSTEAD}")


def _require_words(home: Page) -> None:
    """Raise when what the home page says is not the business's own, or can't be read."""
    name, words = host(home.url), len(home.text.split())
    everything = f"{home.title} {home.text}"
    if words < 120 and _PARKED.search(everything):
        raise Refused(f"{name} only shows a placeholder page. {INSTEAD}")
    if words < 60 and _GUARDED.search(everything):
        raise Refused(f"{name} doesn't allow automated reading. {INSTEAD}")
    if words < FEWEST_WORDS and home.needs_script:
        raise Refused(f"{name} needs JavaScript, which we don't run. {INSTEAD}")


def _site_page(page: Page, kind: str) -> SitePage:
    return SitePage(page.url, page.title, page.description, page.text, tuple(page.headings), kind)


def _lower(sentence: str) -> str:
    """Return a sentence for the middle of another one."""
    return sentence[:1].lower() + sentence[1:] if sentence[1:2].islower() else sentence
