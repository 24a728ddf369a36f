"""CSV imports over `/v1`: as a file or as JSON, their progress, and the refused rows."""

import csv
import io
from typing import Any

import pytest

from app.domain.leads import lists
from app.domain.platform import jobs
from app.models.leads import LeadList
from app.models.workspaces import Workspace
from tests.support.clients import Api, paths
from tests.support.people import people_csv


@pytest.fixture
def founders(acme: Workspace) -> LeadList:
    return lists.create_list(acme, "Founders")


def path(found: LeadList, *more: object) -> str:
    return "/".join(["lists", str(found.id), *map(str, more)])


def everything() -> None:
    while jobs.run_due():
        pass


def upload(api: Api, found: LeadList, content: str, **query: str) -> Any:
    headers = {"Content-Type": "text/csv"}
    return api.call("POST", path(found, "imports"), headers=headers, data=content.encode(), query_string=query)


def table(answer: Any) -> list[list[str]]:
    assert (answer.status_code, answer.content_type) == (200, "text/csv; charset=utf-8")
    return list(csv.reader(io.StringIO(answer.get_data().decode("utf-8-sig"))))


def test_a_file_is_imported_and_its_refused_rows_are_fetched(api: Api, founders: LeadList) -> None:
    started = upload(api, founders, people_csv(), fileName="people from the fair.csv")
    assert (started.status_code, started.json["state"], started.json["total"]) == (202, "running", 500)
    assert started.json["fileName"] == "people from the fair.csv"
    everything()
    done = api.get(f"imports/{started.json['id']}").json
    assert (done["state"], done["done"], done["added"], done["invalid"]) == ("done", 500, 496, 4)
    refused = table(api.get(f"imports/{done['id']}/refusals.csv"))
    assert (len(refused), refused[0][-2:]) == (8, ["Row", "Reason"])
    listed = table(api.get(path(founders, "leads.csv")))
    assert (len(listed), listed[0][:2]) == (497, ["profileUrl", "publicId"])


def test_json_works_too(api: Api, founders: LeadList) -> None:
    started = api.post(path(founders, "imports"), {"csv": people_csv(), "fileName": "people.csv"})
    assert (started.status_code, started.json["state"], started.json["total"]) == (202, "running", 500)
    everything()
    refusals = api.get(f"imports/{started.json['id']}/refusals").json["data"]
    assert [set(row) for row in refusals] == [{"id", "row", "cells", "reason", "field"}] * 7
    assert [row["row"] for row in refusals] == sorted(row["row"] for row in refusals)
    assert [found["id"] for found in api.get(path(founders, "imports")).json["data"]] == [started.json["id"]]


def test_an_import_can_name_its_columns(api: Api, founders: LeadList) -> None:
    content = "who,where\nx.de/in/ada,Berlin\n"
    mapping = {"Who": "profileUrl", "where": "custom:Office"}
    assert api.post(path(founders, "imports"), {"csv": content, "mapping": mapping}).status_code == 202
    everything()
    assert api.get(path(founders, "leads")).json["data"][0]["customFields"] == {"Office": "Berlin"}
    wrong = {"csv": content, "mapping": {"nowhere": "email"}}
    assert paths(api.post(path(founders, "imports"), wrong)) == ["mapping.nowhere"]
    assert paths(api.post(path(founders, "imports"), {"csv": "a,b\n1,2\n"})) == ["mapping"]
    assert paths(api.post(path(founders, "imports"), {"csv": ""})) == ["file"]
    assert paths(upload(api, founders, "a,b\n1,2\n")) == ["mapping"]
    assert paths(upload(api, founders, people_csv(3, ()), fileName="x" * 201)) == ["fileName"]
    assert len(api.get(path(founders, "imports")).json["data"]) == 1


def test_an_import_can_be_stopped(api: Api, founders: LeadList) -> None:
    started = upload(api, founders, people_csv(5, ())).json
    assert api.post(f"imports/{started['id']}/cancel").json["state"] == "canceled"
    assert api.post(f"imports/{started['id']}/cancel").status_code == 409
    everything()
    assert api.get(path(founders)).json["leadCount"] == 0
