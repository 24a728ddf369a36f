"""Reading websites: the pages that matter, what a site calls itself, and one plain sentence for each failure."""

import socket
import threading
import zlib
from collections.abc import Callable

import pytest

from app.ports import ProviderError, Refused, Unreachable
from app.providers.addresses import Place
from app.providers.http import HttpClient
from app.providers.website import WebsiteReader
from app.providers.website.robots import matches, parse
from tests.providers.website.websites import TRUTH, Answer, Web, hosts, moved, page
from tests.support.growth import growth
from tests.support.receivers import Wire, read_request

WORDS = "<p>Alder Works repairs pumps for farms, breweries and dairies in the north of the country, every day.</p>"
HOME = f"<html><head><title>Alder Works</title></head><body>{WORDS}</body></html>"
Serve = Callable[[Callable[[str, str], Answer]], Web]


@pytest.fixture
def serve(running: Callable[[Web], Web]) -> Serve:
    return lambda answer: running(Web(answer))


def bomb() -> bytes:
    """500 MB of zeros, packed: one packed megabyte again and again."""
    packer = zlib.compressobj(1, wbits=31)
    first, more = (packer.compress(bytes(2**20)) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return first + more * 499


def refusal(web: Web, address: str = "alder.example") -> str:
    with pytest.raises(ProviderError) as refused:
        web.reader().read(address, lambda page, read: None)
    sentence = refused.value.sentence
    assert sentence.endswith(".")
    assert sentence.count("\n") == 0
    return sentence


def test_each_site_is_read_with_its_pages_name_and_country(web: Web) -> None:
    for truth in TRUTH.values():
        told: dict[str, int] = {}
        site = web.reader().read(truth.domain, told.__setitem__)
        assert (site.domain, site.name, site.country) == (truth.domain, truth.name, truth.country)
        assert site.pages[0].kind == "home"
        assert 2 <= len(site.pages) <= 8
        assert {page.url for page in site.pages} <= {url.rstrip("/") for url in told} | set(told)
        read = list(told.values())
        assert read == sorted(read)
        assert read[0] == 0 < read[-1] <= len(site.pages)
        assert all(page.text and "<" not in page.text for page in site.pages)


def test_a_charset_may_be_odd(web: Web, serve: Serve) -> None:
    """Windows-1252, ISO-8859-1 and UTF-16 come out as what was meant, and an unknown charset does no harm."""
    assert "visit – what" in web.reader().read(TRUTH["fjordren"].domain, print).pages[0].text
    assert "Außenanlagen" in web.reader().read(TRUTH["lindner"].domain, print).pages[0].text
    html = HOME.replace("farms", "Höfe — 牧場")
    for body, kind in (
        (html.encode("utf-16"), "text/html"),
        (html.encode("utf-16"), "text/html; charset=utf-8"),
        (html.encode(), "text/html; charset=x-klingon"),
        (html.encode(), 'text/html; charset="base64"'),
        (html.encode("shift_jis", errors="replace"), "text/html; charset=Shift_JIS"),
    ):
        made = serve(hosts({"alder.example/": (200, {"content-type": kind}, body)}))
        text = made.reader().read("alder.example", print).pages[0].text
        assert "牧場" in text, kind


def test_robots_are_respected(serve: Serve) -> None:
    """A page that robots.txt keeps from us is not asked for, and a site that wants no reader has none."""
    pages = {
        "alder.example/": page(HOME + '<a href="/pricing">Pricing</a><a href="/about">About</a>'),
        "alder.example/pricing": page(HOME.replace("pumps", "prices")),
        "alder.example/about": page(HOME.replace("pumps", "people")),
        "alder.example/robots.txt": page("User-agent: *\nDisallow: /about\n"),
    }
    web = serve(hosts(pages))
    assert [one.kind for one in web.reader().read("alder.example", print).pages] == ["home", "pricing"]
    assert "alder.example/about" not in web.asked
    pages["alder.example/robots.txt"] = page("User-agent: Overture\nDisallow: /\n\nUser-agent: *\nAllow: /\n")
    assert "robots.txt" in refusal(web)


def test_the_longest_matching_pattern_of_robots_txt_wins() -> None:
    """Groups, wildcards, ends, and the longest pattern wins; a pattern of many stars takes no time."""
    rules = parse("User-agent: a\nUser-agent: *\nDisallow: /*.pdf$\nDisallow: /private\nAllow: /private/open # yes\n")
    allowed = {"/x.pdf": False, "/x.pdf?y": True, "/private/a": False, "/private/open": True}
    assert {path: rules.allows(f"https://a.example{path}") for path in allowed} == allowed
    assert parse("User-agent: *\nDisallow:\n").allows("https://a.example/")
    assert not matches("/" + "*a" * 200 + "b$", "/" + "a" * 5000)
    assert parse("garbage\n\0: x\nDisallow: /\n").allows("https://a.example/")


def test_redirects_are_followed_by_hand(serve: Serve) -> None:
    """Three are followed, the fourth is not; each leads only to where anyone may go."""
    pages = {f"alder.example/{number}": moved(f"/{number + 1}") for number in range(9)}
    pages |= {
        "alder.example/3": page(HOME),
        "alder.example/": moved("/1"),
        "other.example/": moved("http://alder.example/0"),
    }
    web = serve(hosts(pages))
    assert web.reader().read("http://alder.example/", print).name == "Alder Works"
    assert "keeps redirecting" in refusal(web, "http://other.example/")
    loop = serve(hosts({"alder.example/": moved("/")}))
    assert "keeps redirecting" in refusal(loop)
    for target in ("javascript:alert(1)", "file:///etc/passwd", "http://user:pw@inside.example/", "//", "http://[::1"):
        assert refusal(serve(hosts({"alder.example/": moved(target)})))


def test_a_private_address_is_refused() -> None:
    """Neither typed nor reached by a redirect, unless the operator opened the private network; nor is no address."""
    typed = WebsiteReader(HttpClient(plain=True))
    for target in ("http://127.0.0.1/", "http://169.254.169.254/latest/", "http://[::1]/", "http://2130706433/"):
        with pytest.raises(Refused):
            typed.read(target, print)
        inside = Web(hosts({"alder.example/": moved(target), "alder.example/robots.txt": (404, {}, b"")}))
        client = HttpClient(plain=True, resolve=lambda host, port, to=inside.port: [("127.0.0.1", to)])
        with pytest.raises(Refused, match="public"):
            WebsiteReader(client).read("http://alder.example/", print)
        assert inside.asked == []
        inside.stop()
    for nothing in (
        *(
            "",
            "  ",
            "two words",
            "ftp://a.example",
            "javascript:alert(1)",
            "mailto:a@b.example",
            "https://",
            "http://[",
        ),
        *("a" * 3000, "https://exa mple.com", "file:///etc/passwd"),
    ):
        with pytest.raises(Refused):
            typed.read(nothing, print)


FAILURES = [
    (page(""), "has too little text."),
    (page("<html><body><p>Hello.</p></body></html>"), "has too little text."),
    (page("<div id=root></div><script src=/a.js></script>"), "JavaScript"),
    (page("<body><noscript>Enable JavaScript</noscript></body>"), "JavaScript"),
    ((403, {"content-type": "text/html"}, b"no"), "allow automated reading"),
    ((503, {"content-type": "text/html"}, b"<title>Just a moment...</title>"), "allow automated reading"),
    ((404, {"content-type": "text/html"}, b""), "No page at"),
    ((500, {"content-type": "text/html"}, b""), "error (500)"),
    ((200, {"content-type": "application/pdf"}, b"%PDF-1.7"), "not a website"),
    ((200, {"content-type": "image/png"}, b"\x89PNG"), "not a website"),
    (page("just text, no page at all, however long it may be"), "not a website"),
    (page("<title>alder.example</title><p>This domain is for sale. Buy this domain today from our "
          "partners.</p>"), "placeholder"),
    (page("<h1>Welcome to nginx!</h1><p>If you see this page, the web server is successfully installed and "
          "working.</p>"), "placeholder"),
    (page("<p>" + "x" * 2_100_000), "larger than"),
    (page(bomb(), content_encoding="gzip"), "larger than"),
    (page(b"\x1f\x8bnonsense", content_encoding="gzip"), "damaged"),
    (page(HOME, content_encoding="br"), "encoding"),
]  # fmt: skip


def test_each_failure_is_one_plain_sentence(serve: Serve) -> None:
    """It says what is wrong, and nearly always what to do instead."""
    web = serve(hosts({}))
    for answer, words in FAILURES:
        web.answer = hosts({"alder.example/": answer})
        sentence = refusal(web)
        assert words in sentence
        assert "escribe" in sentence or "Check the address" in sentence


def test_an_international_name_is_understood(serve: Serve) -> None:
    """A host in other letters is written as it is looked up; one that does not exist is told."""
    web = serve(hosts({"xn--grtnerei-0za.example/": page(HOME)}))
    assert web.reader().read("gärtnerei.example", print).domain == "xn--grtnerei-0za.example"

    def no_one(host: str, port: int) -> list[Place]:
        raise Unreachable("The host name does not exist.")

    with pytest.raises(Unreachable, match="host name does not exist"):
        WebsiteReader(HttpClient(plain=True, resolve=no_one)).read("nowhere.example", print)


def test_a_drip_ends_at_the_deadline() -> None:
    def drip(connection: socket.socket, over: threading.Event) -> None:
        read_request(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<html>")
        while not over.wait(0.01):
            connection.sendall(b" ")

    wire = Wire(drip)
    port = int(wire.url.rpartition(":")[2].partition("/")[0])
    client = HttpClient(allow_private=True, plain=True, resolve=lambda host, _: [("127.0.0.1", port)])
    with pytest.raises(Unreachable, match=r"within|too slow"):
        WebsiteReader(client, whole=0.8, one_page=0.3).read("http://alder.example/", print)
    wire.stop()


def test_a_slow_page_does_not_spoil_the_site(serve: Serve) -> None:
    """A page that fails is left out, and so is one that says the same as another."""
    links = '<a href="/pricing">Pricing</a><a href="/about">About</a><a href="/features">Features</a>'
    pages = {
        "alder.example/": page(HOME + links),
        "alder.example/pricing": (500, {}, b""),
        "alder.example/about": page(HOME + links),
        "alder.example/features": page(HOME.replace("pumps", "valves")),
    }
    web = serve(hosts(pages))
    assert [one.kind for one in web.reader().read("alder.example", print).pages] == ["home", "product"]


def test_a_contact_page_says_where_a_business_is_and_not_what_it_does(serve: Serve) -> None:
    links = '<a href="/pricing">Pricing</a><a href="/kontakt.html">Write</a><a href="/about/legal">Imprint</a>'
    address = page("<title>Contact</title><p>You find Alder Works here: 12 Mill Lane, Ashford TN24 0AB</p>")
    pages = {
        "alder.example/": page(HOME + links),
        "alder.example/pricing": page(HOME.replace("pumps", "prices")),
        "alder.example/kontakt.html": address,
    }
    web = serve(hosts(pages))
    site = web.reader().read("alder.example", print)
    assert [one.kind for one in site.pages] == ["home", "pricing"]
    assert (site.country, site.place) == ("GB", "Ashford")
    assert "alder.example/about/legal" in web.asked


def test_a_site_is_read_until_its_pages_are_8_mb_together(serve: Serve) -> None:
    """Its first pages are known all the same."""
    paths = ("pricing", "about", "features", "customers", "solutions", "services")
    links = "".join(f'<a href="/{path}">{path}</a>' for path in paths)
    heavy = "<!--" + "x" * 1_990_000 + "-->"
    pages = {f"alder.example/{path}": page(HOME.replace("pumps", path) + heavy) for path in paths}
    web = serve(hosts({"alder.example/": page(HOME + links + heavy), **pages}))
    assert len(web.reader().read("alder.example", print).pages) == 5
    assert len([asked for asked in web.asked if asked in pages]) == 4


def test_a_sitemap_of_spaces_costs_no_more_than_its_length(serve: Serve) -> None:
    web = serve(hosts({}))

    def read(spaces: int) -> None:
        sitemap = page("<loc>" + " " * spaces + "</loc>")
        web.answer = hosts({"alder.example/": page(HOME), "alder.example/sitemap.xml": sitemap})
        web.reader().read("alder.example", print)

    assert growth(read, 10_000) < 3


def test_the_sitemap_helps_where_links_are_few(serve: Serve) -> None:
    """Pages that no link on the home page leads to are found."""
    urls = "".join(f"<url><loc>http://alder.example/{name}</loc></url>" for name in ("pricing", "about-us", "blog/1"))
    foreign = "<url><loc>http://rival.example/pricing</loc></url>"
    pages = {
        "alder.example/": page(HOME),
        "alder.example/sitemap.xml": page(f"<urlset>{foreign}{urls}</urlset>"),
        "alder.example/pricing": page(HOME.replace("pumps", "prices")),
        "alder.example/about-us": page(HOME.replace("pumps", "people")),
    }
    web = serve(hosts(pages))
    assert {one.kind for one in web.reader().read("alder.example", print).pages} == {"home", "pricing", "about"}
    pages["alder.example/"] = page("<html><body><img src=team.jpg></body></html>")
    assert len(serve(hosts(pages)).reader().read("alder.example", print).pages) == 3
    assert not any("rival" in asked for asked in web.asked)
