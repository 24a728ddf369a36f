"""The mark of a website: where it counts, and where it does not."""

from collections.abc import Iterator

import pytest
from pytest_httpserver import HTTPServer

from app.ports import ProviderError, Refused, Unreachable
from app.providers.http import HttpClient
from app.providers.website.ownership_proof import WebsiteProof

MARK = "ovs_SNyDNVqWMdR19Qf9zZw4Rk6z"
META = f'<meta name="overture-site" content="{MARK}">'


@pytest.fixture
def server() -> Iterator[HTTPServer]:
    server = HTTPServer()
    server.start()
    yield server
    server.stop()


@pytest.fixture
def proof() -> WebsiteProof:
    return WebsiteProof(HttpClient(allow_private=True, plain=True))


def test_only_what_its_owner_can_place_proves_a_website(server: HTTPServer, proof: WebsiteProof) -> None:
    """An element or a file of theirs, also when the home page cannot be shown; words on a page, which others may write,
    prove nothing, and redirects stay within this website and end."""
    for page, holds in (
        (f"<html><head>{META}</head>", True),
        (f"<HEAD><META content='{MARK}' name='overture-site'/></HEAD>", True),
        (f'<script async src="/t.js" data-overture-site="{MARK}"></script>', True),
        (f"<p>Somebody wrote {MARK} into a comment.</p>", False),
        (f"<!-- {META} -->", False),
        (f'<meta name="description" content="{MARK}">', False),
        (f'<meta name="overture-site" content="{MARK}x">', False),
        ('<meta name="overture-site">', False),
        ("", False),
    ):
        server.clear()
        server.expect_request("/").respond_with_data(page, content_type="text/html")
        assert proof.holds(server.url_for("/"), MARK) is holds, page
    server.clear()
    server.expect_request("/").respond_with_data("closed", 503)
    server.expect_oneshot_request("/.well-known/overture-site.txt").respond_with_data(f"other\n {MARK} \n")
    assert proof.holds(server.url_for("/shop/"), MARK)
    server.expect_oneshot_request("/.well-known/overture-site.txt").respond_with_data(f"{MARK}x")
    with pytest.raises(Refused, match="503"):
        proof.holds(server.url_for("/"), MARK)
    elsewhere = server.url_for("/other").replace("localhost", "127.0.0.1")
    server.expect_request("/away").respond_with_data("", 302, {"Location": elsewhere})
    server.expect_request("/other").respond_with_data(META)
    server.expect_request("/round").respond_with_data("", 301, {"Location": "/round"})
    for path, words in (("/away", "redirects to"), ("/round", "keeps redirecting")):
        with pytest.raises(Refused, match=words):
            proof.holds(server.url_for(path), MARK)


def test_a_website_that_is_gone_says_so(proof: WebsiteProof) -> None:
    with pytest.raises(Unreachable):
        proof.holds("http://127.0.0.1:9/", MARK)
    with pytest.raises(ProviderError):
        proof.holds("http://[broken", MARK)
