"""The pages of an import: the upload, its columns, how far it got and what was refused."""

import csv
import io

from werkzeug.test import TestResponse

from app.domain.campaigns import campaigns
from app.domain.engine import joiners
from app.domain.leads import csv_import
from app.domain.platform import jobs
from app.domain.senders import accounts
from app.models.leads import LeadList
from app.models.workspaces import Workspace
from tests.domain.engine.manual.test_compose import a_talk
from tests.domain.outreach import INVITE
from tests.domain.tasks.test_referrals import TALK_TO_ANNA, all_of
from tests.domain.tasks.test_tasks import says
from tests.pages.conftest import Web, must_have
from tests.pages.leads.conftest import people, uploaded
from tests.support.people import people_csv


def test_a_file_that_does_not_fit_is_refused_in_place(web: Web, founders: LeadList) -> None:
    for content, sentence in [("", "Choose a file first"), ("a,b\n", "The file has a header but no people.")]:
        must_have(uploaded(web, founders, content, "people.csv" if content else ""), 422, sentence)


def test_a_file_becomes_a_list_with_its_name(web: Web, stranger: Web, acme: Workspace) -> None:
    """A file that holds no one makes none."""
    assert 'href="/lists/new?file=1"' in web.get("/lists").text

    def sent(content: bytes, **fields: str) -> TestResponse:
        return web.post("/lists", {"file": (io.BytesIO(content), "From HubSpot.csv")}, **fields)

    must_have(sent(b"a,b\n", type="people"), 422, "The file has a header but no people.", "The file becomes a list")
    assert "No lists yet" in web.get("/lists").text
    address = sent(b"Email\nada@x.example\n", type="people").headers["Location"]
    must_have(web.get(address), 200, "From HubSpot.csv", "Import 1 row")
    must_have(web.get("/lists"), ">From HubSpot</a>")
    some = b"Email,Status\na@x.example,New\nb@x.example,Unsubscribed\nc@x.example,Unsubscribed\n"
    must_have(web.get(sent(some, type="people").headers["Location"]), 200, "2 people unsubscribed", "Import 1 row")
    must_have(web.get(sent(b"Name\nWool\n", type="companies").headers["Location"]), 200, "Company")
    assert stranger.get(address).status_code == 404


def test_wrong_columns_come_back_as_they_were_chosen(web: Web, acme: Workspace, founders: LeadList) -> None:
    web.post("/lists", name="x")
    address = uploaded(web, founders, "a,b\n1,2\n").headers["Location"]
    answer = web.post(address, {"column-0": "firstName", "column-1": "firstName"})
    assert answer.status_code == 422
    assert "Two columns can" in answer.text
    assert "Choose the column with the profile link, the public ID or the email address." in answer.text
    assert web.get(address).text.count('value="firstName" selected') == 2


def test_the_encoding_is_shown_and_another_one_reads_the_file_again(web: Web, founders: LeadList) -> None:
    """What was chosen for the columns stays."""
    raw = "Profile,Prénom,Stadt\nhttps://network.example/in/z,Zoë,Köln\n".encode("cp1252")
    address = web.post(f"/lists/{founders.id}/imports", {"file": (io.BytesIO(raw), "p.csv")}).headers["Location"]
    assert '<option value="cp1252" selected>Windows-1252 (Western Europe)</option>' in web.get(address).text
    web.post(f"{address}/encoding", {"encoding": "cp1251", "column-0": "profileUrl", "column-2": "headline"})
    again = web.get(address).text
    assert '<option value="cp1251" selected>' in again
    assert "Zoл" in again
    web.post(f"{address}/encoding", {"encoding": "cp1252", "column-0": "profileUrl", "column-2": "headline"})
    assert "Zoë" in web.get(address).text
    must_have(web.post(f"{address}/encoding", {"encoding": "nonsense"}), 422, "Choose one of the encodings.")
    must_have(web.post(f"{address}/encoding", {"encoding": "utf-16"}), 422, "Choose another encoding.")


def test_people_who_opted_out_are_told_before_the_import_and_after_it(web: Web, founders: LeadList) -> None:
    """A value that nobody understands is asked about in place."""
    content = "Email,Unsubscribed,Mail preference\na@x.example,yes,\nb@x.example,no,B\nc@x.example,no,\n"
    address = uploaded(web, founders, content).headers["Location"]
    must_have(web.get(address), 200, "1 person unsubscribed and won&#39;t be contacted.")
    columns = {"column-0": "email"}
    refused = web.post(address, columns | {"sign-0": "doNotContact", "sign-1": ""})
    must_have(refused, 422, "Choose what “B” means.")
    web.post(address, columns | {"sign-0": "doNotContact", "sign-1": "contact"})
    jobs.run_due()
    must_have(web.get(address), 200, "1 person in this file had already opted out.")


def test_a_running_import_answers_only_when_it_got_further(web: Web, acme: Workspace, founders: LeadList) -> None:
    found = csv_import.create(acme, founders.id, "p.csv", io.BytesIO(people_csv(10, ()).encode()))
    csv_import.start(acme, found.id)
    address = f"/lists/{founders.id}/imports/{found.id}"
    assert web.get(address + "?done=0", htmx=True).status_code == 204
    assert web.get(address + "?done=1", htmx=True).status_code == 200
    web.post(address + "/cancel")
    assert "Stopped after 0 rows." in web.get(address).text
    jobs.run_due()
    assert len(people(acme, founders)) == 3


def test_an_import_says_which_campaign_its_people_join(web: Web, acme: Workspace, founders: LeadList) -> None:
    sender = accounts.every(acme)[0].id
    campaign = campaigns.create(acme, name="Open", list_id=founders.id, account_ids=[sender], sequence=[INVITE])
    campaigns.start(acme, campaign.id)
    joiners.choose(acme, campaign.id, 7)
    found = csv_import.create(acme, founders.id, "p.csv", io.BytesIO(b"profile\nx.de/in/new\n"))
    csv_import.start(acme, found.id)
    jobs.run_due()
    must_have(
        web.get(f"/lists/{founders.id}/imports/{found.id}"),
        "New people will be added to “Open”.",
        "Up to 7 people will join per day.",
    )
    promise = "New people will be added to “Open”, up to 7 a day."
    web.post(f"/lists/{founders.id}/add", links="mo@navy.example")
    must_have(web.get(f"/lists/{founders.id}"), f"1 added. {promise}")
    web.post(f"/lists/{founders.id}/people/new", email="zoe@navy.example")
    must_have(web.get(f"/lists/{founders.id}"), f"zoe@navy.example added. {promise}")
    says(acme, a_talk(acme, "accepts-bo"), TALK_TO_ANNA)
    (referral,) = all_of(acme)
    web.post(f"/tasks/referrals/{referral.id}", email="anna@wool.example", list=founders.id, next="/tasks")
    must_have(web.get("/tasks"), promise, without="No campaign contacts")


def test_refused_rows_and_lists_are_downloaded(web: Web, acme: Workspace, founders: LeadList) -> None:
    found = csv_import.create(acme, founders.id, "p.csv", io.BytesIO(b"profile\nx.de/in/new\n,\n  \n"))
    csv_import.start(acme, found.id)
    jobs.run_due()
    refused = web.get(f"/lists/{founders.id}/imports/{found.id}/refused.csv")
    assert refused.content_type.startswith("text/csv")
    rows = list(csv.reader(io.StringIO(refused.data.decode("utf-8-sig"))))
    assert rows[0][-2:] == ["Row", "Reason"]
    assert len(rows) == 2
    exported = web.get(f"/lists/{founders.id}/people.csv")
    assert "filename=Founders.csv" in exported.headers["Content-Disposition"]
    assert len(list(csv.reader(io.StringIO(exported.data.decode("utf-8-sig"))))) == 5
