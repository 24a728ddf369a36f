"""Signals without a key, from servers that answer as the public sources do, in good and in bad times."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from flask import Flask

from app.ports import Refused, SignalQuestion, SignalResult, Throttled, Unreachable
from app.providers.public_signals import job_boards
from app.providers.sandbox.enrichment import SandboxSignals
from tests.providers.failing import differs, failure_of
from tests.providers.lookup_contract import keeps_to_signals
from tests.providers.public_signals.public_server import PublicWeb, as_json, feed, words
from tests.providers.website.websites import Answer, page

NOW = datetime(2026, 11, 20, 10, tzinfo=UTC)
HOME = (
    "<html><head><title>Engine Works | Pumps</title><meta property='og:site_name' content='Engine Works'>{head}</head>"
    "<body><h1>Pumps for breweries</h1><p>We build pumps that run for thirty years without a drop of oil.</p>{body}"
    "<footer>© 2026 Engine Works Inc. Austin, United States</footer></body></html>"
)
FORM_D = """<?xml version="1.0"?><edgarSubmission xmlns="http://www.sec.gov/x">
<primaryIssuer><entityName>Engine Works Inc</entityName></primaryIssuer><offeringData>
<typeOfFiling><dateOfFirstSale><value>2026-09-01</value></dateOfFirstSale></typeOfFiling>
<offeringSalesAmounts><totalAmountSold>11000000</totalAmountSold></offeringSalesAmounts>
</offeringData></edgarSubmission>"""
HIT = {
    "_id": "0001234567-26-000001:primary_doc.xml",
    "_source": {
        "ciks": ["0001234567"], "display_names": ["Engine Works, Inc.  (CIK 0001234567)"], "form": "D",
        "adsh": "0001234567-26-000001", "file_date": "2026-09-10", "biz_locations": ["Austin, TX"],
    },
}  # fmt: skip
FILING = "sec.test/Archives/edgar/data/1234567/000123456726000001/primary_doc.xml"
GDELT, GOOGLE = "gdelt.test/api/v2/doc/doc", "google-news.test/rss/search"
KINDS = ("hiring", "funding", "techStack", "news")
RESTS = "Please limit requests to one every 5 seconds or contact us."


@pytest.fixture
def web(app: Flask, running: Callable[[PublicWeb], PublicWeb]) -> PublicWeb:
    web = running(PublicWeb())
    site(web)
    return web


def site(web: PublicWeb, head: str = "", body: str = "", **headers: str) -> None:
    web.pages["engine.test/"] = page(HOME.format(head=head, body=body), **headers)


def asking(kind: str, domain: str = "engine.test") -> SignalQuestion:
    return SignalQuestion(kind, NOW, domain=domain)


def look_up(web: PublicWeb, kind: str, **options: Any) -> SignalResult | None:
    return web.signals(**options).look_up(asking(kind))


def hit(web: PublicWeb, kind: str, **options: Any) -> SignalResult:
    found = look_up(web, kind, **options)
    assert found is not None
    return found


def article(title: str, seen: str = "20261119T081500Z", url: str = "https://paper.example/a") -> dict[str, str]:
    return {"title": title, "seendate": seen, "url": url, "domain": "paper.example", "language": "English"}


def everything(web: PublicWeb) -> None:
    """The company looks for people, has raised money and is in the news."""
    site(web, "<script src='https://js.stripe.com/v3'></script>", "<a href='https://jobs.lever.co/engine'>Jobs</a>")
    job = {"text": "Fitter", "categories": {"location": "Austin", "team": "Works"}, "createdAt": 1793000000000}
    web.pages["lever.test/v0/postings/engine"] = as_json([{**job, "hostedUrl": "https://jobs.lever.co/engine/1"}])
    web.pages["edgar.test/LATEST/search-index"] = as_json({"hits": {"total": {"value": 1}, "hits": [HIT]}})
    web.pages[FILING] = 200, {"content-type": "text/xml"}, FORM_D.encode()
    web.pages[GDELT] = as_json({"articles": [article("Engine Works raises $12.5M Series B led by Alder Ventures")]})


def test_sandbox_and_public_sources_answer_in_the_same_shape(web: PublicWeb) -> None:
    everything(web)
    for kind in KINDS:
        keeps_to_signals(SandboxSignals().look_up, asking(kind, "known-engine.example"))
        keeps_to_signals(web.signals().look_up, asking(kind))


BOARDS: list[tuple[str, str, str, Answer, str]] = [
    (
        "https://boards.greenhouse.io/engine", "greenhouse.test/v1/boards/engine/jobs", "Greenhouse",
        as_json({"jobs": [{
            "title": "Fitter", "location": {"name": "Austin"}, "departments": [{"name": "Works"}],
            "absolute_url": "https://boards.greenhouse.io/engine/jobs/1", "first_published": "2026-11-01T10:00:00Z",
        }], "meta": {"total": 1}}), "2026-11-01",
    ),
    (
        "https://jobs.eu.lever.co/engine", "lever-eu.test/v0/postings/engine", "Lever",
        as_json([{
            "text": "Fitter", "categories": {"location": "Austin", "department": "Works"}, "createdAt": 1793000000000,
            "hostedUrl": "https://jobs.eu.lever.co/engine/1",
        }]), "2026-10-26",
    ),
    (
        "https://jobs.ashbyhq.com/engine", "ashby.test/posting-api/job-board/engine", "Ashby",
        as_json({"jobs": [
            {"title": "Secret", "isListed": False},
            {"title": "Fitter", "location": "Austin", "department": "Works", "isListed": True,
             "jobUrl": "https://jobs.ashbyhq.com/engine/1", "publishedAt": "2026-11-01T10:00:00Z"},
        ]}), "2026-11-01",
    ),
    (
        "https://apply.workable.com/engine/", "workable.test/api/v1/widget/accounts/engine", "Workable",
        as_json({"name": "Engine", "jobs": [{
            "title": "Fitter", "city": "Austin", "department": "Works", "published_on": "2026-11-01",
            "url": "https://apply.workable.com/j/1",
        }]}), "2026-11-01",
    ),
    (
        "https://careers.smartrecruiters.com/engine", "smartrecruiters.test/v1/companies/engine/postings",
        "SmartRecruiters",
        as_json({"totalFound": 1, "content": [{
            "id": "1", "name": "Fitter", "releasedDate": "2026-11-01T10:00:00Z", "location": {"city": "Austin"},
            "department": {"label": "Works"},
        }]}), "2026-11-01",
    ),
    (
        "https://engine.recruitee.com", "engine.recruitee.test/api/offers/", "Recruitee",
        as_json({"offers": [{
            "title": "Fitter", "location": "Austin", "department": "Works", "published_at": "2026-11-01 10:00:00 UTC",
            "careers_url": "https://engine.recruitee.com/o/fitter",
        }]}), "2026-11-01",
    ),
]  # fmt: skip


def test_every_board_is_read(web: PublicWeb) -> None:
    for link, path, title, answer, day in BOARDS:
        site(web, body=f"<a href='{link}'>We are hiring</a>")
        web.pages[path] = answer
        found = hit(web, "hiring")
        assert (found.source, found.answer["total"]) == (title, 1)
        (opening,) = found.answer["openings"]
        assert (opening["title"], opening["location"], opening["department"]) == ("Fitter", "Austin", "Works")
        assert opening["postedAt"] == day
        assert opening["url"].startswith("https://")


def test_a_board_in_pages_is_read_to_its_end(web: PublicWeb) -> None:
    site(web, body="<a href='https://jobs.lever.co/engine'>Jobs</a>")
    web.pages["lever.test/v0/postings/engine"] = as_json([{"text": "Fitter", "createdAt": 1793000000000}] * 100)
    found = hit(web, "hiring")
    assert (found.answer["total"], len(found.answer["openings"])) == (100 * job_boards.PAGES, 50)


def test_the_careers_page_leads_to_the_board(web: PublicWeb) -> None:
    """And where there is none, what it marks up for search engines counts."""
    site(web, body="<a href='/company/join-us'>Join us</a>")
    place = '{"address": {"addressLocality": "Austin"}}'
    posting = f'{{"@type": "JobPosting", "title": "Fitter", "datePosted": "2026-11-02", "jobLocation": {place}}}'
    marked = f"<h1>Jobs</h1><script type='application/ld+json'>{posting}</script>"
    web.pages["engine.test/company/join-us"] = page(marked)
    found = hit(web, "hiring")
    assert found.source == "engine.test"
    assert found.answer["openings"][0] == {
        "title": "Fitter", "location": "Austin", "department": "", "url": "http://engine.test/company/join-us",
        "postedAt": "2026-11-02",
    }  # fmt: skip
    web.pages["engine.test/company/join-us"] = page("<iframe src='https://jobs.ashbyhq.com/engine?embed=js'></iframe>")
    web.pages["ashby.test/posting-api/job-board/engine"] = BOARDS[2][3]
    found = hit(web, "hiring")
    assert found.source == "Ashby"


def test_nothing_open_is_no_hit(web: PublicWeb) -> None:
    site(web, body="<a href='https://boards.greenhouse.io/engine'>Jobs</a>")
    for answer in ((404, {}, b""), as_json({"jobs": []}), as_json({}), as_json([])):
        web.pages["greenhouse.test/v1/boards/engine/jobs"] = answer
        assert look_up(web, "hiring") is None


def filings(web: PublicWeb, **change: Any) -> None:
    """EDGAR has one filing with these changes, and the press is silent."""
    everything(web)
    hits = [{**HIT, "_source": {**HIT["_source"], **change}}]  # type: ignore[dict-item]
    web.pages["edgar.test/LATEST/search-index"] = as_json({"hits": {"hits": hits}})
    web.pages[GDELT] = as_json({})


def test_a_filing_counts_for_a_company_of_that_name(web: PublicWeb) -> None:
    """Amount and day come from the form; an amount that is no number is left out."""
    filings(web)
    for sold, amount in (("11000000", 11_000_000), ("Indefinite", None), ("²", None)):
        web.pages[FILING] = 200, {"content-type": "text/xml"}, FORM_D.replace("11000000", sold).encode()
        found = hit(web, "funding")
        assert found.source == "SEC EDGAR"
        assert found.answer["rounds"] == [
            {
                "name": "Private offering (Form D)", "amountUsd": amount, "announcedAt": "2026-09-01", "investors": [],
                "url": f"https://www.sec.gov{FILING.removeprefix('sec.test')}",
            }
        ]  # fmt: skip


def test_a_filing_of_someone_else_or_in_an_odd_shape_does_not_count(web: PublicWeb) -> None:
    changes: tuple[dict[str, Any], ...] = (
        {"display_names": ["Engine Workshops Inc (CIK 0001234567)"]},
        {"display_names": []},
        {"adsh": "../../etc/passwd"},
        *({"ciks": odd} for odd in (None, 7)),
        {"display_names": 7},
    )
    for change in changes:
        filings(web, **change)
        assert look_up(web, "funding") is None, change
    for odd in (7, [], [7], {"hits": 7}, {"hits": [7]}, {"hits": [{"_source": 7}]}):
        web.pages["edgar.test/LATEST/search-index"] = as_json({"hits": odd})
        assert look_up(web, "funding") is None, odd
    filings(web, biz_locations=7)
    assert look_up(web, "funding") is not None


def test_two_companies_of_one_name_are_told_apart_or_left_out(web: PublicWeb) -> None:
    filings(web)
    other = {**HIT, "_source": {**HIT["_source"], "ciks": ["0007654321"], "biz_locations": ["Boston, MA"]}}  # type: ignore[dict-item]
    web.pages["edgar.test/LATEST/search-index"] = as_json({"hits": {"hits": [HIT, other]}})
    assert look_up(web, "funding") is None
    place = '{"addressLocality": "Austin", "addressCountry": "US"}'
    mark = f'{{"@type": "Organization", "name": "Engine Works", "address": {place}}}'
    site(web, f"<script type='application/ld+json'>{mark}</script>")
    assert look_up(web, "funding") is not None


def test_without_a_contact_the_sec_is_not_asked(web: PublicWeb) -> None:
    everything(web)
    found = hit(web, "funding", contact="")
    assert found.source == "the press"
    assert not any(asked.startswith("edgar") for asked in web.asked)


def test_headlines_tell_of_rounds(web: PublicWeb) -> None:
    """As far as they do; other currencies are not turned into dollars, and an address that is none is no link."""
    for title, *told in (
        ("Engine Works raises $12.5M Series B led by Alder Ventures", "Series B", 12_500_000, ["Alder Ventures"]),
        ("Pump maker Engine Works secures €3 million seed round", "Seed", None, []),
        ("Engine Works closes $1.2 billion funding", "Funding round", 1_200_000_000, []),
    ):
        web.pages[GDELT] = as_json({"articles": [article(title), article(title, url="https://copy.example/b")]})
        found = hit(web, "funding")
        (one,) = found.answer["rounds"]
        assert [one["name"], one["amountUsd"], one["investors"]] == told
        assert one["announcedAt"] == "2026-11-19"
    for title in ("Engine Works raises eyebrows at the fair", "Engine Workshop raises $5M"):
        web.pages[GDELT] = as_json({"articles": [article(title)]})
        assert look_up(web, "funding") is None
    web.pages[GDELT] = as_json({"articles": [article("Engine Works raises $5M seed", url="https://[news")]})
    found = hit(web, "funding")
    assert [one["url"] for one in found.answer["rounds"]] == [""]


def test_news_are_about_the_company_and_by_others(web: PublicWeb) -> None:
    """Each once, the newest first, none older than a month."""
    web.pages[GDELT] = as_json({
        "articles": [
            article("Engine works overtime"), article("Inside Engine Works", "20261118T081500Z"),
            article("Inside  Engine Works!", "20261118T091500Z", "https://copy.example/a"),
            article("Engine Works opens in Lyon"), article("Engine Works on itself", url="https://engine.test/blog"),
            article("Engine Works was founded", "20261001T081500Z"), article("Engine Works", "yesterday"), "strange",
        ]
    })  # fmt: skip
    found = hit(web, "news")
    assert [one["title"] for one in found.answer["articles"]] == ["Engine Works opens in Lyon", "Inside Engine Works"]
    assert found.answer["articles"][0]["publishedAt"] == "2026-11-19T08:15:00+00:00"


def test_the_companys_own_feed_counts(web: PublicWeb) -> None:
    site(web, "<link rel='alternate' type='application/rss+xml' href='/feed.xml'>")
    day = "Thu, 19 Nov 2026 08:00:00 GMT"
    web.pages["engine.test/feed.xml"] = feed({"title": "A new hall", "url": "https://engine.test/hall", "date": day})
    web.pages[GDELT] = words(RESTS)
    found = hit(web, "news")
    assert found.source == "engine.test"
    assert found.answer["articles"][0]["title"] == "A new hall"


def test_google_news_only_where_it_is_switched_on(web: PublicWeb) -> None:
    item = {"title": "Engine Works wins - The Ledger", "url": "https://news.google.test/1", "paper": "The Ledger"}
    web.pages[GOOGLE] = feed({**item, "date": "Thu, 19 Nov 2026 08:00:00 GMT"})
    web.pages[GDELT] = as_json({})
    found = hit(web, "news")
    one = found.answer["articles"][0]
    assert (one["title"], one["source"]) == ("Engine Works wins", "The Ledger")
    assert look_up(web, "news", **{"google-news": ""}) is None
    found = hit(web, "news", gdelt="")
    assert not [asked for asked in web.asked[-1:] if asked.startswith("gdelt")]


def test_a_source_in_trouble_is_no_miss(web: PublicWeb) -> None:
    """It is a failure, so that no one believes there is nothing."""
    for answer, kind, said in (
        (words(RESTS), Throttled, "request limit"),
        (words("slow", 429, retry_after="90"), Throttled, "request limit"),
        (words("Timespan is too short."), Unreachable, "unexpected response"),
        (words("[" * 50_000), Unreachable, "unexpected response"),
        (as_json([1]), Unreachable, "unexpected response"),
        (words("gone", 500), Unreachable, "under maintenance"),
        (words("no", 401), Refused, "refused the request"),
    ):
        web.pages[GDELT] = answer
        found = failure_of(partial(look_up, web, "news", **{"google-news": ""}))
        assert not differs(found, kind, said), found


def test_the_sec_is_left_alone_when_it_says_so(web: PublicWeb) -> None:
    filings(web)
    web.pages["edgar.test/LATEST/search-index"] = words("Request Rate Threshold Exceeded", 403)
    signals = web.signals()
    for _ in range(2):
        with pytest.raises(Throttled) as failure:
            signals.look_up(asking("funding"))
    assert failure.value.retry_after > 500
    assert len([asked for asked in web.asked if asked.startswith("edgar")]) == 1


def test_a_home_page_shows_its_technologies(web: PublicWeb) -> None:
    """By what it loads, its headers and its generator, each with the trace; versions where they are shown."""
    head = (
        "<meta name='generator' content='WordPress 6.7.1'><script src='/wp-content/a/jquery-3.7.1.min.js'></script>"
        "<script src='//js.hs-scripts.com/123.js'></script><link href='https://fonts.googleapis.com/css?family=A'>"
    )
    site(web, head, server="cloudflare", x_powered_by="PHP/8.3.1")
    found = hit(web, "techStack")
    by_name = {one["name"]: one for one in found.answer["technologies"]}
    assert set(by_name) == {"Cloudflare", "Google Fonts", "HubSpot", "jQuery", "PHP", "WordPress"}
    assert (by_name["WordPress"]["version"], by_name["jQuery"]["version"]) == ("6.7.1", "3.7.1")
    assert by_name["PHP"] == {
        "name": "PHP", "category": "Programming language", "version": "8.3.1",
        "evidence": "header x-powered-by: PHP/8.3.1",
    }  # fmt: skip
    site(web)
    assert look_up(web, "techStack") is None


def test_a_site_that_cannot_be_read_says_so(web: PublicWeb) -> None:
    """And one that does not want to be read is not."""
    web.pages["engine.test/"] = words("", 500)
    for robots, failure, match in ((404, Unreachable, "couldn"), (200, Refused, "robots")):
        web.pages["engine.test/robots.txt"] = words("User-agent: *\nDisallow: /", robots)
        for kind in KINDS:
            with pytest.raises(failure, match=match) as told:
                look_up(web, kind)
            assert "escribe" not in told.value.sentence
