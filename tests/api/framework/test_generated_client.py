"""A client generated from the published document: nothing is dropped from it, and it drives a campaign."""

import json
import pkgutil
import sys
from collections.abc import Iterator
from importlib import import_module
from io import BytesIO
from types import ModuleType
from typing import Any

import httpx
import openapi_python_client as generator
import pytest
from flask import Flask
from openapi_python_client.config import Config, ConfigFile, MetaType

from app.api.framework.declarations import ENDPOINTS
from app.api.framework.openapi import document
from app.core.db import MAX_ID, end_read
from app.domain.platform import jobs
from app.models.workspaces import Workspace
from tests.clients import Api
from tests.domain.outreach import forward

pytestmark = pytest.mark.databases("in turn")

NAME = "generated_overture"
PUBLISHED = document(ENDPOINTS, "https://overture.example")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """The client that openapi-python-client makes, whole and without a warning."""
    folder = tmp_path_factory.mktemp("client")
    source = folder / "openapi.json"
    source.write_text(json.dumps(PUBLISHED))
    settings = ConfigFile(project_name_override=NAME, package_name_override=NAME, post_hooks=[])
    made = Config.from_sources(settings, MetaType.NONE, source, "utf-8", overwrite=True, output_path=folder / NAME)
    problems = [f"{one.header} {one.detail}" for one in generator.generate(config=made)]
    assert problems == []
    sys.path.insert(0, str(folder))
    try:
        yield import_module(NAME)
    finally:
        sys.path.remove(str(folder))
        for known in [known for known in sys.modules if known.split(".")[0] == NAME]:
            del sys.modules[known]


class Calls:
    """The generated functions by the names of their operations, on the application itself."""

    def __init__(self, package: ModuleType, app: Flask, key: str) -> None:
        def served(environ: Any, start: Any) -> Any:
            end_read()
            return app(environ, start)

        transport = httpx.WSGITransport(app=served)
        self._client = package.AuthenticatedClient("http://localhost", key, httpx_args={"transport": transport})
        self._modules = {
            found.name.rpartition(".")[2]: found.name
            for found in pkgutil.walk_packages(package.__path__, f"{NAME}.")
            if found.name.startswith(f"{NAME}.api.")
        }
        self.models: Any = import_module(f"{NAME}.models")

    def __call__(self, operation: str, *places: Any, **given: Any) -> Any:
        """The parsed answer."""
        call: Any = import_module(self._modules[operation])
        return call.sync(*places, client=self._client, **given)


def test_every_operation_and_shape_becomes_code(package: ModuleType) -> None:
    """Each module can be imported, and no operation or schema is missing."""
    found = {module.name for module in pkgutil.walk_packages(package.__path__, f"{NAME}.")}
    for name in found:
        import_module(name)
    assert {one.name.replace(".", "_") for one in ENDPOINTS} <= {name.rpartition(".")[2] for name in found}
    models = {name.lower() for name in dir(import_module(f"{NAME}.models"))}
    assert {name.lower() for name in PUBLISHED["components"]["schemas"]} <= models


def test_a_generated_client_drives_a_campaign(package: ModuleType, app: Flask, acme: Workspace, api: Api) -> None:
    """A list, its people, a campaign that starts, and its people's states."""
    call = Calls(package, app, api.key)
    of: Any = call.models
    made = call("lists_create", body=of.NewList(name="Founders"))
    people = of.Profiles.from_dict({"profiles": [{"publicId": "accepts-ada", "firstName": "Ada"}]})
    assert call("lists_add_leads", made.id, body=people).added == 1
    sender = call("accounts_page").data[0]
    sequence = [of.GivenStep.from_dict({"type": "connection_request", "message": "Hello {{first_name|there}}"})]
    campaign = of.NewCampaign(name="In spring", list_id=made.id, account_ids=[sender.id], sequence=sequence)
    draft = call("campaigns_create", body=campaign)
    (lead,) = call("lists_leads_page", made.id).data
    shown = call("campaign_statistics_preview", draft.id, body=of.PreviewOf(lead.id))
    assert (shown.left_out.people, shown.steps[0].messages) == (0, ["Hello Ada"])
    assert call("campaigns_start", draft.id).status == of.CampaignStatus.RUNNING
    forward(acme, days=3)
    (person,) = call("campaign_leads_page", draft.id).data
    assert person.lead.public_id == "accepts-ada"
    events = [found.to_dict()["type"] for found in call("events_page").data]
    assert "invite_sent" in events
    assert call("lists_show", MAX_ID).error.code == of.ErrorCode.NOT_FOUND


def test_a_generated_client_sends_a_file(package: ModuleType, app: Flask, acme: Workspace, api: Api) -> None:
    """As bytes of no kind, which the import takes for what it is."""
    call = Calls(package, app, api.key)
    made = call("lists_create", body=call.models.NewList(name="Founders"))
    types: Any = import_module(f"{NAME}.types")
    file = types.File(payload=BytesIO(b"profileUrl,firstName\nhttps://network.example/in/ada,Ada\n"))
    begun = call("imports_start", made.id, body=file)
    while jobs.run_due():
        pass
    assert call("imports_show", begun.id).added == 1
