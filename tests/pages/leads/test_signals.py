"""Looking up signals on a page, with prices before and the findings after."""

import re

import pytest

from app.domain.billing import credits
from app.domain.enrichment import signals
from app.models.workspaces import Workspace
from app.pages.leads import signal_view
from tests.pages.conftest import Web, found_in, must_have


def look_up(web: Web, kind: str = "hiring", **fields: str) -> str:
    """The page after a look-up."""
    answer = web.post("/signals", kind=kind, **fields)
    assert answer.status_code == 303, answer.text
    return web.get(answer.headers["Location"].partition("#")[0]).text


def test_signals_show_prices_results_and_history(web: Web, acme: Workspace) -> None:
    page = web.get("/signals").text
    assert re.findall(r'<span class="t">([^<]+)</span><span class="small muted">(\d) credits', page) == [
        ("Hiring", "2"),
        ("Funding", "2"),
        ("Tech stack", "2"),
        ("News", "2"),
        ("Headcount", "6"),
        ("Job change", "3"),
    ]
    must_have(page, "Look up, 2 credits if found", "What you get")
    found = look_up(web, domain="known-acme.com")
    assert "Found. This lookup used 2 credits." in found
    assert 'id="result"' in found
    assert '<th scope="col">Department</th>' in found
    assert "Raw JSON" in found
    assert "Past lookups" in found
    assert "From sandbox." in found
    assert "What you get" not in found
    assert credits.balance(acme).free == 998
    assert "Free, because this was looked up in the last seven days." in look_up(web, domain="www.known-acme.com")


def test_the_form_changes_with_the_kind(web: Web) -> None:
    page = web.get("/signals?kind=jobChange").text
    must_have(page, "Look up, 3 credits if found", 'name="fullName"', without='name="domain"')
    found = look_up(web, "jobChange", fullName="known-ada", companyName="Engine", jobTitle="")
    must_have(found, "From: company", "To: title")
    answer = web.post("/signals", kind="hiring", domain="not a domain")
    must_have(answer, 422, "Enter a website domain such as acme.com.", 'value="not a domain"')


@pytest.mark.parametrize(
    ("domain", "said"), [("unreachable-acme.com", "You were not charged"), ("a.example", "You need")]
)
def test_a_refusal_stands_above_the_form(web: Web, acme: Workspace, domain: str, said: str) -> None:
    if said == "You need":
        credits.hold(acme, 1000, ref="other", purpose="signals")
    answer = web.post("/signals", kind="hiring", domain=domain)
    assert answer.status_code in (403, 503)
    must_have(answer, said, f'value="{domain}"')


def test_the_history_is_paged_and_ours(web: Web, stranger: Web, acme: Workspace) -> None:
    for number in range(27):
        signals.look_up(acme, "news", domain=f"known-{number}.example")
    signals.look_up(acme, "hiring", domain="known-one.example")
    first = web.get("/signals").text
    assert first.count('id="signal-') == 25
    assert web.get(found_in(first, r'hx-get="(/signals\?cursor=[^"]+)"'), htmx=True).text.count('id="signal-') == 3
    assert web.get("/signals?only=hiring").text.count('id="signal-') == 1
    shown = signals.look_up(acme, "hiring", domain="known-one.example").id
    assert "known-one" in web.get(f"/signals?show={shown}").text
    must_have(stranger.get(f"/signals?show={shown}"), "What you get", without="known-one")


def test_the_history_is_sorted_and_searched(web: Web, acme: Workspace) -> None:
    for kind, domain in (("news", "known-b.example"), ("headcount", "known-c.example"), ("news", "known-a.example")):
        signals.look_up(acme, kind, domain=domain)

    def asked(query: str) -> list[str]:
        return re.findall(r'#result" title="known-(\w)', web.get(f"/signals?{query}").text)

    assert asked("") == ["a", "c", "b"]
    assert asked("sort=asked") == ["a", "b", "c"]
    assert asked("sort=-asked") == ["c", "b", "a"]
    assert asked("sort=-credits")[0] == "c"
    assert asked("sort=at") == ["b", "c", "a"]
    assert asked("q=known-B") == ["b"]
    assert "No matches for “zzz”" in web.get("/signals?q=zzz").text
    page = web.get("/signals?sort=asked&cols=source").text
    must_have(page, 'data-label="Source">', without='data-label="Credits"')
    [href] = re.findall(r'href="(/signals\?[^"]*)#result" title="known-c', page)
    assert 'id="result"' in web.get(href.replace("&amp;", "&")).text


def test_a_finding_of_any_shape_is_shown() -> None:
    blocks = signal_view.blocks(
        {
            "current": 1234,
            "growth6m": 0.125,
            "from": {"company": "Engine", "title": ""},
            "investors": ["A", "B"],
            "publishedAt": "2026-03-02",
            "byMonth": [{"month": "2026-01", "count": 5}, {"month": "2026-02", "note": True}],
            "profileUrl": "https://network.example/in/ada",
            "odd": [1, {"a": 2}],
            "script": "javascript:alert(1)",
        }
    )
    pairs = {name: (cell.text, cell.href) for name, cell in blocks[0].pairs}
    assert pairs["Current"][0] == "1,234"
    assert pairs["Growth in 6 months"] == ("+12.5%", "")
    assert pairs["From: company"] == ("Engine", "")
    assert "From: title" not in pairs
    assert pairs["Investors"] == ("A, B", "")
    assert pairs["Published"] == ("Mon 2 Mar 2026", "")
    assert pairs["Profile"] == ("network.example", "https://network.example/in/ada")
    assert pairs["Script"] == ("javascript:alert(1)", "")
    assert pairs["Odd"][0] == "1, {'a': 2}"
    assert (blocks[1].title, blocks[1].columns) == ("By month", ["Month", "Count", "Note"])
    assert [cell.text for cell in blocks[1].rows[1]] == ["2026-02", "", "Yes"]
