"""Lists, imports and people as pages."""

import csv
import html
import io
import re

from selectolax.parser import HTMLParser

from app.core.db import transaction
from app.domain.leads import leads, lists
from app.domain.leads.campaign_leads import campaign_leads
from app.domain.people.exclusions import never_contact
from app.models.leads import LeadList
from app.models.workspaces import Workspace
from tests.domain.outreach import INVITE, a_campaign, forward, message, only
from tests.pages.conftest import Web, must_have
from tests.pages.leads.conftest import people

BARRED = '<span class="badge danger">Do not contact</span>'  # beside the name of each who is not contacted


def test_people_are_searched_and_paged(web: Web, acme: Workspace, founders: LeadList) -> None:
    leads.add(acme, founders.id, [{"publicId": f"p{number}", "firstName": "Zoë"} for number in range(40)])
    page = web.get(f"/lists/{founders.id}")
    assert page.text.count('name="lead"') == 25
    more = page.text.partition('hx-get="')[2]
    address = page.text.rpartition('class="btn secondary sm" href="')[2].partition('"')[0].replace("&amp;", "&")
    assert more
    rest = web.get(address, htmx=True).text
    assert rest.count('name="lead"') == 18
    assert "<html" not in rest
    must_have(web.get(f"/lists/{founders.id}?q=engine", htmx=True), "Ada", 'id="found"', without="Bob")
    assert "No matches for “nobody”" in web.get(f"/lists/{founders.id}?q=nobody").text


def test_a_list_says_which_titles_places_and_companies_are_most_frequent(
    web: Web, stranger: Web, acme: Workspace, founders: LeadList
) -> None:
    places = ["Berlin, Germany", "Lyon, France", "Ulm, germany", "Kiel, Germany"]
    profiles = [
        {
            "publicId": f"p{at}",
            "position": "CFO" if at else " cfo ",
            "location": places[at % 4],
            "companyName": "<b>Acme",
        }
        for at in range(32)
    ]
    leads.add(acme, founders.id, profiles)
    address = f"/lists/{founders.id}"
    must_have(web.get(address), f'hx-get="{address}/composition"', ">91% CFO<", ">69% Germany, 23% France<")
    piece = web.get(f"{address}/composition", htmx=True)
    must_have(
        piece, ">CFO</a>", ">Germany</a>", ">France</a>", "&lt;b&gt;Acme", 'value="32"', 'value="24"', 'value="8"'
    )
    assert piece.text.count("Germany</a>") == 1  # in one spelling
    must_have(piece, f'href="{address}?title=CFO"', f'href="{address}?location=Germany"')
    assert stranger.get(f"{address}/composition").status_code == 404
    page = web.get(f"{address}?title=cfo&location=france&q=p").text
    assert page.count('name="lead"') == 8
    must_have(page, "Title: cfo", f'href="{address}?q=p&amp;title=cfo"')
    must_have(
        web.get(f"{address}/composition?title=CFO", htmx=True), f'href="{address}?title=CFO&amp;location=Germany"'
    )
    assert web.get(f"{address}/people.csv?company=acme&location=lyon").text.count("CFO") == 8
    web.post(f"{address}/people", all="1", do="tag", tag="french", location="Lyon")
    assert web.get(f"{address}?tagged=french").text.count('name="lead"') == 8


def test_what_people_are_called_never_becomes_markup(web: Web, acme: Workspace, founders: LeadList) -> None:
    eve = people(acme, founders)[2]
    for address in (f"/lists/{founders.id}", f"/people/{eve.id}"):
        page = web.get(address).text
        assert "<script>alert" not in page
        assert 'href="javascript' not in page


def test_picked_people_get_a_tag_which_is_taken_back(web: Web, acme: Workspace, founders: LeadList) -> None:
    ada, bob, _ = people(acme, founders)
    address, tags = f"/lists/{founders.id}/people", [["VIP"], ["vip"], []]
    web.post(address, lead=[bob.id], do="tag", tag="vip")
    web.get("/lists")
    web.post(address, lead=[ada.id, bob.id], do="tag", tag="VIP")
    assert [lead.tags for lead in people(acme, founders)] == tags
    web.post(way_back(web))
    assert [lead.tags for lead in people(acme, founders)] == [[], ["vip"], []]
    web.post(address, lead=[ada.id, bob.id], do="untag", tag="VIP")
    web.post(way_back(web))
    assert [lead.tags for lead in people(acme, founders)] == [[], ["VIP"], []]
    assert web.post("/undo/dance/x").status_code == 404
    web.post(address, lead=[ada.id], do="tag", tag=" ")
    assert "Enter the tag first." in web.get("/lists").text
    web.post(address, do="tag", tag="x")
    assert "Select people first." in web.get("/lists").text
    assert [lead.tags for lead in people(acme, founders)] == [[], ["VIP"], []]


def test_a_campaign_starts_with_the_picked_people_as_a_list_of_their_own(
    web: Web, acme: Workspace, founders: LeadList
) -> None:
    ada, bob, eve = people(acme, founders)
    never_contact.add(acme, ["person: eve"])
    address = f"/lists/{founders.id}/people"
    started = web.post(address, lead=[ada.id, bob.id, eve.id], do="start").headers["Location"]
    new = int(started.removeprefix("/campaigns/new?list="))
    assert "Founders, 2 people" in web.get(started).text
    assert {lead.person_id for lead in people(acme, lists.get_list(acme, new))} == {ada.person_id, bob.person_id}
    assert len(people(acme, founders)) == 3
    started = web.post(address, all="1", q="ada", do="start").headers["Location"]
    assert "Founders, 1 person" in web.get(started).text
    web.post(address, lead=[eve.id], do="start")
    must_have(web.get(f"/lists/{founders.id}"), "None of these people may be contacted.")


def test_a_campaign_starts_with_those_whom_the_filter_finds(web: Web, founders: LeadList) -> None:
    """A search says anew how many there are."""
    address = f"/lists/{founders.id}"
    must_have(web.get(address), ">3 people<", f'href="/campaigns/new?list={founders.id}"')
    for page in (web.get(f"{address}?q=ada"), web.get(f"{address}?q=ada", htmx=True)):
        must_have(page, ">1 of 3 people<", without=f'href="/campaigns/new?list={founders.id}"')
        form = HTMLParser(page.text).css_first("form#to-campaign")
        assert form
        assert "Start a campaign with 1 person" in form.text()
        given = {field.attributes["name"]: field.attributes["value"] for field in form.css("input")}
        assert web.post(f"{address}/people", **given).headers["Location"].startswith("/campaigns/new?list=")
    must_have(web.get(f"{address}?q=nobody"), ">0 of 3 people<", without="Start a campaign with")


def way_back(web: Web) -> str:
    """What the message offers to undo, on the next page."""
    found = re.findall(r'action="([^"]*/undo[^"]*)"', web.get("/lists").text)
    return html.unescape(found[-1])


def test_people_are_never_contacted_until_it_is_taken_back(
    web: Web, stranger: Web, acme: Workspace, founders: LeadList
) -> None:
    never_contact.add(acme, ["person: eve"])
    ids = [lead.id for lead in people(acme, founders)]
    address = f"/lists/{founders.id}/people"
    done = web.post(address, lead=ids, do="never", q="a")
    assert done.headers["Location"] == f"/lists/{founders.id}?q=a"
    page = web.get(done.headers["Location"]).text
    assert "2 people added to your do-not-contact list." in page
    assert (web.get(f"/lists/{founders.id}").text.count(BARRED), never_contact.count(acme)) == (3, 3)
    undo = html.unescape(re.findall(r'action="(/undo/[^"]*)"', page)[0])
    stranger.post(undo)
    assert never_contact.count(acme) == 3
    assert web.post(undo).headers["Location"] == f"/lists/{founders.id}?q=a"
    page = web.get(address.removesuffix("/people")).text
    assert "2 people removed from your do-not-contact list." in page
    assert page.count(BARRED) == 1
    assert (len(people(acme, founders)), never_contact.count(acme)) == (3, 1)
    web.post(undo)
    assert "too late to undo this." in html.unescape(web.get("/lists").text)
    web.post(address, lead=ids[2], do="never")
    assert "These people were already on the do-not-contact list." in web.get("/lists").text


def test_removed_people_are_put_back(web: Web, stranger: Web, acme: Workspace, founders: LeadList) -> None:
    before = [(lead.id, lead.name, lead.created_at, lead.tags) for lead in people(acme, founders)]
    address = f"/lists/{founders.id}/people"
    done = web.post(address, lead=[before[0][0], before[1][0]], do="remove", reach="no-phone")
    assert done.headers["Location"] == f"/lists/{founders.id}?reach=no-phone"
    assert len(people(acme, founders)) == 1
    back = way_back(web)
    assert web.get(f"/people/{before[0][0]}").status_code == 404
    stranger.post(back)
    assert len(people(acme, founders)) == 1
    assert web.post(back).headers["Location"] == f"/lists/{founders.id}?reach=no-phone"
    assert [(lead.id, lead.name, lead.created_at, lead.tags) for lead in people(acme, founders)] == before
    assert "2 people added back to the list." in web.get("/lists").text
    web.post(back)
    assert "too late to undo this." in html.unescape(web.get("/lists").text)


def test_pasted_links_are_added_and_the_wrong_ones_stay(web: Web, acme: Workspace, founders: LeadList) -> None:
    links = "https://network.example/in/new\n\nada\nhttps://network.example/company/acme\n"
    must_have(web.post(f"/lists/{founders.id}/add", links=links), "1 added, 1 already up to date", "Line 4:")
    assert len(people(acme, founders)) == 4
    assert web.post(f"/lists/{founders.id}/add", links="https://network.example/in/two").status_code == 303
    assert web.post(f"/lists/{founders.id}/add", links=" ").status_code == 422
    assert "You pasted 1,001 lines" in web.post(f"/lists/{founders.id}/add", links="x\n" * 1001).text
    with transaction() as current:
        current.merge(acme).plan, current.merge(founders).lead_count = "starter", 10_000
    answer = web.post(f"/lists/{founders.id}/add", links="https://network.example/in/late")
    must_have(answer, 422, "includes 10,000 people in lists", "https://network.example/in/late</textarea>")


def test_a_person_stands_with_their_latest_campaign_and_tags(web: Web, acme: Workspace, founders: LeadList) -> None:
    ada, *_ = people(acme, founders)
    web.post(f"/people/{ada.id}/tags", add="VIP")
    for given, name in (("replies-positive-bob", "Spring"), ("ignores-zoe", "Autumn")):
        campaign = a_campaign(acme, [{"publicId": given}], [INVITE, message("Hello")], name=name)
        forward(acme, days=12)
        found, page = only(campaign), web.get(f"/lists/{campaign.list_id}").text
        must_have(page, f'href="/campaigns/{campaign.id}/people/{found.id}" title="{name}"')
        assert ("Replied, positive · " in page, "Request pending · " in page) == (name == "Spring", name == "Autumn")
        assert "?tagged=positive" not in page, "the campaign's cell says it"
    page = web.get(f"/lists/{founders.id}").text
    must_have(page, f'href="/lists/{founders.id}?tagged=VIP"', "Start a campaign", without="Request pending")


def test_a_list_is_narrowed_by_what_happened_to_its_people(web: Web, acme: Workspace, founders: LeadList) -> None:
    """A chip that would change nothing is not there."""
    campaign = a_campaign(acme, ["replies-positive-bob", "ignores-zoe"], [INVITE, message("Hello")])
    address = f"/lists/{campaign.list_id}"
    forward(acme, days=12)
    web.post(f"{address}/add", links="https://network.example/in/ann")
    for reach, label, names in (
        ("campaign", "In a campaign", ["Zoe"]),
        ("out", "Not in a campaign", ["ann", "Bob"]),
        ("no-campaign", "Never in a campaign", ["ann"]),
        ("replied", "Replied", ["Bob"]),
    ):
        must_have(web.get(address), f'href="{address}?reach={reach}">{label} <b>{len(names)}</b>')
        page = web.get(f"{address}?reach={reach}").text.partition("<main")[2]
        assert [name for name in ("ann", "Bob", "Zoe") if f">{name}</a>" in page] == names
    must_have(web.get(f"/lists/{founders.id}"), without="?reach=campaign")


def test_a_campaign_that_left_the_person_out_is_not_their_latest(acme: Workspace) -> None:
    a_campaign(acme, ["ann"], [INVITE], name="First")
    ann = only(a_campaign(acme, ["ann"], [INVITE], name="Second"))
    assert (ann.state, campaign_leads.latest(acme, [ann.person_id])[ann.person_id][1]) == ("excluded", "First")


def test_what_is_shown_is_exported(web: Web, founders: LeadList) -> None:
    address = f"/lists/{founders.id}"
    for asked, names in (("reach=no-email", "bob eve"), ("q=Ada&reach=email", "ada")):
        for page in (web.get(f"{address}?{asked}").text, web.get(f"{address}?{asked}", htmx=True).text):
            href, excel = re.findall(rf'href="({address}/people.csv[^"]*)"', page)
            assert excel == f"{href}&amp;format=xlsx"
        rows = list(csv.reader(io.StringIO(web.get(html.unescape(href)).data.decode("utf-8-sig"))))
        assert [row[1] for row in rows[1:]] == names.split()
    assert "people.csv" not in web.get(f"{address}?q=nobody").text


def test_what_a_search_finds_is_counted_unless_the_list_is_very_long(
    web: Web, acme: Workspace, founders: LeadList
) -> None:
    """To count is to read everyone."""
    leads.add(acme, founders.id, [{"publicId": f"lin-{number}", "firstName": "Lin"} for number in range(60)])
    address = f"/lists/{founders.id}?q=lin"
    must_have(web.get(address), ">60 of 63 people<", "Start a campaign with 60 people")
    with transaction() as current:
        current.get_one(LeadList, founders.id).lead_count = lists.MOST_READ + 1
    page = web.get(address).text
    must_have(page, ">10,001 people<", "Start a campaign with all found")
    assert re.search(r'role="status">More than \d+ found</p>', page)


def test_a_list_is_renamed_and_deleted(web: Web, acme: Workspace, founders: LeadList) -> None:
    address = f"/lists/{founders.id}"
    assert "its 3 people are deleted" in web.get(f"{address}/edit").text
    assert web.post(f"{address}/edit", name="").status_code == 422
    web.post(f"{address}/edit", name="Owners")
    assert "Owners" in web.get("/lists").text
    web.post(f"{address}/delete")
    assert "“Owners” deleted." in web.get("/lists").text
    assert web.get(address).status_code == 404
    must_have(web.post("/lists", name=" "), 422, "Enter a name of 1 to 200 characters.")
    assert web.get("/lists/new").status_code == 200


def test_a_person_has_a_page(web: Web, acme: Workspace, founders: LeadList) -> None:
    ada, bob, _ = people(acme, founders)
    must_have(web.get(f"/people/{bob.id}"), "tier", "Not in any campaign yet.")
    web.post(f"/people/{ada.id}/tags", add="VIP, hot lead ,vip")
    assert "Tags saved." in web.get(f"/people/{ada.id}").text
    assert people(acme, founders)[0].tags == ["VIP", "hot lead"]
    web.post(f"/people/{ada.id}/tags", remove="VIP")
    back = HTMLParser(web.get(f"/people/{ada.id}").text).css_first(".toast form")
    assert back
    assert people(acme, founders)[0].tags == ["hot lead"]
    web.post(back.attributes["action"] or "")
    must_have(web.get(f"/people/{ada.id}"), "“VIP” added to 1 person", 'name="remove" value="hot lead"')
    web.post(f"/people/{ada.id}/tags", add="x" * 51)
    assert "at most 50" in web.get(f"/people/{ada.id}").text
    web.post(f"/people/{ada.id}/never-contact", kind="domain")
    assert "on the do-not-contact list as “engine.example”" in web.get(f"/people/{ada.id}").text


def test_lists_say_how_many_can_be_reached(web: Web, founders: LeadList, acme: Workspace) -> None:
    """One of three has an address, and no one a number; an empty list says neither."""
    lists.create_list(acme, "Empty")
    page = " ".join(web.get("/lists").text.split())
    assert f'<a href="/lists/{founders.id}?reach=email"><b>1</b> <span class="faint">33.3%</span></a>' in page
    assert (page.count('data-label="With email">–<'), page.count('data-label="With phone">–<')) == (1, 2)
    for reach, names in [("email", "Ada"), ("no-email", "Bob"), ("phone", ""), ("x", "Ada Bob")]:
        page = web.get(f"/lists/{founders.id}?reach={reach}").text.partition("<main")[2]
        assert [name for name in ("Ada", "Bob") if f">{name}</a>" in page] == names.split()
        assert f'href="/lists/{founders.id}?reach=no-email">Without email <b>2</b>' in page or reach == "no-email"
        assert "With phone" in page or reach != "phone"
        assert "?reach=no-phone" not in page
        if reach == "no-email":
            assert f'<a class="chip" href="/lists/{founders.id}" aria-current="true">Without email <b>2</b>' in page
            found = web.get(f"/lists/{founders.id}?reach={reach}&q=ada", htmx=True).text
            assert "Searched names, titles, companies, locations and email addresses" in found
            assert 'hx-target="#reach" hx-swap="innerHTML"><nav class="chips"' in found
            assert f'href="/lists/{founders.id}?q=ada" aria-current="true">Without email<' in found
