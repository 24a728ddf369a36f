"""CSV imports over `/v1`: as a file or as JSON, their progress, and the refused rows."""

import csv
import io
from collections.abc import Iterator
from typing import Any

import pytest

from app.core.errors import NotFound
from app.domain.leads import csv_export, lists
from app.domain.leads.csv_export import EXCEL
from app.domain.platform import csv_files, jobs
from app.models.leads import LeadList
from app.models.workspaces import Workspace
from tests.api.leads.conftest import path
from tests.support.clients import Api, paths
from tests.support.people import people_csv


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


def test_a_workbook_goes_out_and_comes_back(api: Api, acme: Workspace, founders: LeadList) -> None:
    upload(api, founders, people_csv(20, ()))
    everything()
    given = api.get(path(founders, "leads.csv"), format="xlsx")
    assert (given.content_type, given.headers["Content-Disposition"]) == (EXCEL, "attachment; filename=Founders.xlsx")
    copy = lists.create_list(acme, "Gründer 1")
    for media_type in (EXCEL, "application/octet-stream"):
        again = api.call("POST", path(copy, "imports"), headers={"Content-Type": media_type}, data=given.get_data())
        assert (again.status_code, again.json["total"]) == (202, 20)
    everything()
    came_back = api.get(path(copy, "leads.csv"))
    assert table(came_back) == table(api.get(path(founders, "leads.csv")))
    assert "filename*=UTF-8''Gr%C3%BCnder%201.csv" in came_back.headers["Content-Disposition"]
    bomb = api.call("POST", path(copy, "imports"), headers={"Content-Type": EXCEL}, data=b"PK\3\4")
    assert (bomb.status_code, paths(bomb)) == (400, ["file"])
    assert api.get(path(founders, "leads.csv"), format="ods").status_code == 400


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


def test_a_file_is_imported_once_under_its_key(api: Api, founders: LeadList) -> None:
    """Another file or another name is another request; a file may be larger than JSON, and no larger than said."""

    def send(content: bytes, key: str = "one", **query: str) -> Any:
        headers = {"Content-Type": "text/csv", "Idempotency-Key": key}
        return api.call("POST", path(founders, "imports"), headers=headers, data=content, query_string=query)

    content = people_csv(3, ()).encode()
    first, again = send(content), send(content)
    assert (first.status_code, again.data, again.headers["Idempotent-Replayed"]) == (202, first.data, "true")
    assert [send(content + b"\n").status_code, send(content, fileName="x").status_code] == [409, 409]
    assert paths(send(b"a" * 5_000_001, "long")) == ["file"]
    assert send(b"a" * (csv_files.MOST_BYTES + 1), "large").status_code == 413
    assert len(api.get(path(founders, "imports")).json["data"]) == 1


def test_a_download_that_breaks_before_its_first_line_is_an_error(
    api: Api, founders: LeadList, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pieces() -> Iterator[bytes]:
        raise NotFound("There is nothing.")
        yield b""

    monkeypatch.setattr(csv_export, "file", lambda name, *_: (name, pieces(), "text/csv"))
    assert api.get(path(founders, "leads.csv")).status_code == 404


def test_an_import_can_be_stopped(api: Api, founders: LeadList) -> None:
    started = upload(api, founders, people_csv(5, ())).json
    assert api.post(f"imports/{started['id']}/cancel").json["state"] == "canceled"
    assert api.post(f"imports/{started['id']}/cancel").status_code == 409
    everything()
    assert api.get(path(founders)).json["leadCount"] == 0


def test_people_who_opted_out_are_told_and_what_is_not_clear_is_asked_before_anything_is_stored(
    api: Api, founders: LeadList
) -> None:
    body: dict[str, Any] = {
        "csv": "Email,Unsubscribed,Mail preference\na@x.example,yes,\nb@x.example,no,B\nc@x.example,no,A\n"
    }
    refused = api.post(path(founders, "imports"), body)
    assert (refused.status_code, paths(refused)) == (400, ["consent.Mail preference", "consent.Mail preference"])
    assert "Choose what “B” means. Use" in refused.json["error"]["fields"][0]["message"]
    assert api.get(path(founders, "imports")).json["data"] == []
    body["consent"] = {"mail preference": {"B": "doNotContact", "a": "contact"}}
    started = api.post(path(founders, "imports"), body)
    assert (started.status_code, started.json["optOuts"]) == (
        202,
        [
            {"column": "Unsubscribed", "value": "yes", "meaning": "doNotContact", "people": 1},
            {"column": "Mail preference", "value": "B", "meaning": "doNotContact", "people": 1},
            {"column": "Mail preference", "value": "A", "meaning": "contact", "people": 1},
        ],
    )
    everything()
    done = api.get(f"imports/{started.json['id']}").json
    assert (done["added"], done["skipped"], done["optedOut"], done["bounced"]) == (1, 2, 2, 0)
    listed = api.get("never-contact").json["data"]
    assert {entry["value"] for entry in listed} == {"a@x.example", "b@x.example"}
    wrong = api.post(path(founders, "imports"), body | {"consent": {"No such column": {"B": "contact"}}})
    assert paths(wrong) == ["consent.No such column"]


def test_a_file_is_read_in_the_encoding_that_is_asked_for(api: Api, founders: LeadList) -> None:
    """Without one it is detected, and said."""
    raw = "Profile,First name\nhttps://network.example/in/z,Иван\n"
    for encoding, query in (("cp1251", {}), ("koi8_r", {"encoding": "koi8_r"})):
        started = api.call(
            "POST",
            path(founders, "imports"),
            headers={"Content-Type": "text/csv"},
            data=raw.encode(encoding),
            query_string=query,
        )
        assert started.json["encoding"] == encoding
        everything()
        (lead,) = api.get(path(founders, "leads")).json["data"]
        assert lead["firstName"] == "Иван"
    address = path(founders, "imports") + "?encoding=utf-16"
    refused = api.call("POST", address, headers={"Content-Type": "text/csv"}, data=raw.encode())
    assert (refused.status_code, paths(refused)) == (400, ["encoding"])
    assert api.post(address, {"csv": raw}).status_code == 202  # JSON says itself how it is written
