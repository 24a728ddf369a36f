"""The Python client against a running server: nothing of the document is missing, and it drives a campaign."""

import asyncio
import pkgutil
import re
import textwrap
from importlib import import_module
from io import BytesIO
from types import SimpleNamespace
from typing import Any

import overture_client
import pytest
from overture_client import AsyncOverture, Conflict, File, InvalidRequest, NotFound, Overture, Unauthorized, models
from overture_client.errors import BY_CODE

from app.core.db import MAX_ID, end_read
from app.core.errors import ERROR_CODES
from app.domain.platform import jobs
from app.domain.webhooks import dispatcher
from app.models.workspaces import Workspace
from tests.domain.outreach import forward
from tests.support.assistants import apart
from tests.support.receivers import Receiver
from tools import clients

PUBLISHED = clients.published()
PEOPLE = {"profiles": [{"publicId": f"accepts-{name}", "firstName": name.title()} for name in ("ada", "bea", "cleo")]}
SEQUENCE = [{"type": "connection_request", "message": "Hello {{first_name|there}}"}]


def campaign(list_id: int, sender: int) -> models.NewCampaign:
    """An invitation to all of the list."""
    steps = [models.GivenStep.from_dict(step) for step in SEQUENCE]
    return models.NewCampaign(name="In spring", list_id=list_id, account_ids=[sender], sequence=steps)


def test_every_operation_and_shape_is_in_the_client() -> None:
    """Each module can be imported; each operation is a method of both clients, each schema a model."""
    for found in pkgutil.walk_packages(overture_client.__path__, "overture_client."):
        import_module(found.name)
    named = [one["operationId"].split(".") for path in PUBLISHED["paths"].values() for one in path.values()]
    clients_of = [Overture("http://localhost", "key"), AsyncOverture("http://localhost", "key")]
    missing = [(group, verb) for group, verb in named for one in clients_of if not hasattr(getattr(one, group), verb)]
    assert (missing, len(named) > 200) == ([], True)
    known = {name.lower() for name in dir(models)}
    shapes = PUBLISHED["components"]["schemas"].items()
    # An open list of codes is a plain string: a class would refuse a code that a later version adds.
    assert {name.lower() for name, one in shapes if "x-extensible-enum" not in one} <= known
    assert {name for name in dir(models) if not hasattr(models, name)} == set()


def test_each_code_has_its_error() -> None:
    """And each error its code."""
    assert BY_CODE.keys() == ERROR_CODES.keys() == {*models.ErrorCode}
    assert len({*BY_CODE.values()}) == len(BY_CODE)


@pytest.mark.usefixtures("now")
def test_a_whole_campaign(live_server: str, acme: Workspace, key: str, receiver: Receiver) -> None:
    """A list, its people page by page, a preview, a start, and the first event at the integrator's endpoint."""
    with Overture(live_server, key) as overture:
        hook = overture.webhooks.create(
            body=models.NewWebhook.from_dict({"name": "CRM", "url": receiver.url, "event": "invite_sent"})
        )
        founders = overture.lists.create(body=models.NewList(name="Founders"))
        added = overture.lists.add_leads(founders.id, body=models.Profiles.from_dict(PEOPLE))
        people = list(overture.lists.leads_page(founders.id, limit=2))
        assert (added.added, sorted(one.first_name for one in people)) == (3, ["Ada", "Bea", "Cleo"])
        sender = next(iter(overture.accounts.page()))
        draft = overture.campaigns.create(body=campaign(founders.id, sender.id))
        shown = overture.campaign_statistics.preview(draft.id, body=models.PreviewOf(people[0].id))
        assert shown.steps[0].messages == [f"Hello {people[0].first_name}"]
        assert overture.campaigns.start(draft.id).status == models.CampaignStatus.RUNNING
        end_read()
        forward(acme, days=3)
        while dispatcher.deliver_due():
            pass
        events = [event.type_ for event in overture.events.page()]
    request = receiver.requests[0]
    event = overture_client.verify_webhook(hook.secret, request.body, request.headers)
    assert (event.type_, event.workspace_id) == ("invite_sent", acme.id)
    assert event.type_ in events


def test_a_file_is_sent(live_server: str, acme: Workspace, key: str) -> None:
    """As bytes of no kind, which the import takes for what it is; with asyncio, too."""
    content = b"profileUrl,firstName\nhttps://network.example/in/ada,Ada\n"
    with Overture(live_server, key) as overture:
        founders = overture.lists.create(body=models.NewList(name="Founders"))
        begun = overture.imports.start(founders.id, body=File(payload=BytesIO(content)))

        async def again() -> Any:
            async with AsyncOverture(live_server, key) as other:
                return await other.imports.start(founders.id, body=File(payload=BytesIO(content)))

        repeated = apart(asyncio.run, again())
        end_read()
        while jobs.run_due():
            pass
        assert overture.imports.show(begun.id).added == 1
        assert overture.imports.show(repeated.id).added == 0
        assert "network.example/in/ada" in overture.lists.export(founders.id)


def test_a_repeated_key_gives_the_same_thing(live_server: str, acme: Workspace, key: str) -> None:
    """And is refused for another request."""
    with Overture(live_server, key) as overture:
        first, second = (
            overture.lists.create(body=models.NewList(name="Founders"), idempotency_key="founders") for _ in range(2)
        )
        assert first.id == second.id
        with pytest.raises(Conflict):
            overture.lists.create(body=models.NewList(name="Others"), idempotency_key="founders")
        assert [one.id for one in overture.lists.page()] == [first.id]


def test_a_refusal_is_an_error_of_its_code(live_server: str, acme: Workspace, key: str) -> None:
    """With everything that the server says of it."""
    with Overture(live_server, key) as overture:
        with pytest.raises(NotFound) as missing:
            overture.lists.show(MAX_ID)
        assert missing.value.status == 404
        assert missing.value.request_id.startswith("req_")
        assert missing.value.recovery
        with pytest.raises(InvalidRequest, match="name:") as wrong:
            overture.lists.create(body=models.NewList(name=" "))
        assert [problem.path for problem in wrong.value.fields] == ["name"]
    with Overture(live_server, "ovt_test_unknown") as stranger, pytest.raises(Unauthorized):
        next(iter(stranger.lists.page()))


def test_the_examples_of_its_readme_work(
    live_server: str, key: str, acme: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    """As they stand there, but for the address, the key and the request."""
    text = (clients.PYTHON / "README.md").read_text()
    text = (
        text.replace("https://outreach.example.com", live_server)
        .replace("ovt_live_…", key)
        .replace("whsec_…", "whsec_c2VjcmV0")
    )
    first, with_asyncio, receives = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    exec(first, {})
    assert capsys.readouterr().out == "Ada \n"
    with Overture(live_server, key) as overture:
        sender = next(iter(overture.accounts.page()))
        draft = overture.campaigns.create(body=campaign(next(iter(overture.lists.page())).id, sender.id))
        overture.campaigns.start(draft.id)
    apart(exec, with_asyncio, {})
    assert capsys.readouterr().out == "In spring 0\n"
    end_read()
    view: dict[str, Any] = {"request": SimpleNamespace(get_data=lambda: b"{}", headers={})}
    exec("def view():\n" + textwrap.indent(receives, "    "), view)
    assert view["view"]() == ("", 400)


def test_a_core_that_is_not_what_the_document_generates_is_made_again(tmp_path: Any) -> None:
    """Whether the document or a template changed; and what is up to date is left alone."""
    small = {**PUBLISHED, "paths": {"/v1/lists": PUBLISHED["paths"]["/v1/lists"]}}
    templates = tmp_path / "templates"
    templates.mkdir()
    for template in (clients.PYTHON / "templates").iterdir():
        (templates / template.name).write_text(template.read_text())
    core = tmp_path / "core"

    def made() -> SimpleNamespace:
        clients.python(small, templates, core)
        return SimpleNamespace(
            at=(core / clients.STAMP).stat().st_mtime_ns, groups={one.name for one in (core / "api").iterdir()}
        )

    first = made()
    assert made() == first
    small["paths"]["/v1/leads"] = PUBLISHED["paths"]["/v1/leads"]
    second = made()
    assert second.groups - first.groups == {"leads"}
    (templates / "str_enum.py.jinja").write_text((templates / "str_enum.py.jinja").read_text() + "\n# changed\n")
    assert made().at != second.at


def test_what_a_generator_would_leave_out_is_refused(tmp_path: Any) -> None:
    """A schema that no model can be made of."""
    broken = {
        **PUBLISHED,
        "paths": {
            "/v1/lists": {
                "get": {
                    "operationId": "lists.page",
                    "responses": {
                        "200": {
                            "description": "x",
                            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Nothing"}}},
                        }
                    },
                }
            }
        },
    }
    with pytest.raises(ValueError, match="lists"):
        clients.python(broken, clients.PYTHON / "templates", tmp_path / "core")
