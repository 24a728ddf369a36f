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
    """A website on this machine."""
    server = HTTPServer()
    server.start()
    yield server
    server.stop()


@pytest.fixture
def proof() -> WebsiteProof:
    """Looks for marks, also here."""
    return WebsiteProof(HttpClient(allow_private=True, plain=True))


@pytest.mark.parametrize(
    ("page", "holds"),
    [
        (f"<html><head>{META}</head>", True),
        (f"<HEAD><META content='{MARK}' name='overture-site'/></HEAD>", True),
        (f'<script async src="/t.js" data-overture-site="{MARK}"></script>', True),
        (f"<p>Somebody wrote {MARK} into a comment.</p>", False),
        (f"<!-- {META} -->", False),
        (f'<meta name="description" content="{MARK}">', False),
        (f'<meta name="overture-site" content="{MARK}x">', False),
        ('<meta name="overture-site">', False),
        ("", False),
    ],
)
def test_only_an_element_of_the_owner_proves_a_website(
    server: HTTPServer, proof: WebsiteProof, page: str, holds: bool
) -> None:
    """In an element that only the owner can place; words on the page, which others may write, prove nothing."""
    server.expect_request("/").respond_with_data(page, content_type="text/html")
    assert proof.holds(server.url_for("/"), MARK) is holds


def test_a_file_is_enough(server: HTTPServer, proof: WebsiteProof) -> None:
    """With our line among others; also when the home page cannot be shown."""
    server.expect_request("/").respond_with_data("closed", 503)
    server.expect_oneshot_request("/.well-known/overture-site.txt").respond_with_data(f"other\n {MARK} \n")
    assert proof.holds(server.url_for("/shop/"), MARK)
    server.expect_oneshot_request("/.well-known/overture-site.txt").respond_with_data(f"{MARK}x")
    with pytest.raises(Refused, match="503"):
        proof.holds(server.url_for("/"), MARK)


def test_another_website_proves_nothing(server: HTTPServer, proof: WebsiteProof) -> None:
    """Redirects stay within this one, and end."""
    elsewhere = server.url_for("/other").replace("localhost", "127.0.0.1")
    server.expect_request("/away").respond_with_data("", 302, {"Location": elsewhere})
    server.expect_request("/other").respond_with_data(META)
    server.expect_request("/round").respond_with_data("", 301, {"Location": "/round"})
    with pytest.raises(Refused, match="redirects to"):
        proof.holds(server.url_for("/away"), MARK)
    with pytest.raises(Refused, match="without end"):
        proof.holds(server.url_for("/round"), MARK)


def test_a_website_that_is_gone(proof: WebsiteProof) -> None:
    """Says so."""
    with pytest.raises(Unreachable):
        proof.holds("http://127.0.0.1:9/", MARK)
    with pytest.raises(ProviderError):
        proof.holds("http://[broken", MARK)
