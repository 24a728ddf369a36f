"""Trust: sub-processors are those that are connected, and the docs say what the page says."""

from pathlib import Path

from app import ports
from app.core.db import end_read, transaction
from app.domain.installation import trust
from app.domain.platform import retention, services
from app.domain.webhooks import endpoints
from app.models.accounts import Account, MailboxLogin
from app.models.workspaces import Workspace
from app.ports import ChosenModel
from tests.support.finders import RIGHT, offered
from tests.support.mailed import house_mail

DOCS = (Path(__file__).parents[3] / "docs" / "trust.md").read_text()


class Chosen:
    def __init__(self, model: ChosenModel, own: bool) -> None:
        self._model, self._own = model, own

    def fixed(self) -> ChosenModel:
        return self._model

    def is_own(self, url: str) -> bool:
        return self._own


def names(workspace: Workspace) -> list[str]:
    end_read()
    return [one.name for one in trust.sub_processors(workspace)]


def test_what_is_connected_is_a_sub_processor(live: Workspace, acme: Workspace) -> None:
    """Mail servers, services and webhooks of this workspace, and the server's own; not what is disconnected."""
    usual = names(live)
    finder = offered()[0]
    services.connect(live, "finder", {"api_key": RIGHT})
    endpoints.create(live, name="CRM", url="https://crm.example/hook", event="every_reply")
    with transaction() as current:
        box = Account(
            workspace_id=live.id, channel="email", provider="smtp", provider_ref="a@b.example", name="A",
            address="a@b.example", limits={}, created_at=live.now(),
        )  # fmt: skip
        current.add(box)
        current.flush()
        settings = {"smtp_host": "smtp.mail.example", "imap_host": "imap.mail.example"}
        current.add(MailboxLogin(workspace_id=live.id, account_id=box.id, settings=settings))
    connected = ["imap.mail.example", "smtp.mail.example", finder.service.title, "crm.example"]
    with house_mail():
        assert names(live) == [*connected, *usual, "This server's mail server"]
        assert names(acme) == ["This server's mail server"]
    services.disconnect(live, "finder")
    assert finder.service.title not in names(live)


def test_a_model_is_a_sub_processor_and_says_whether_it_is_ours(acme: Workspace) -> None:
    """The address of our own one is for server admins only."""
    assert names(acme) == []
    for url, own in (("http://localhost:11434/api", True), ("https://api.model.example/v1", False)):
        ports.models.connect(Chosen(ChosenModel(url, "llama"), own))  # type: ignore[arg-type]
        (model,) = trust.sub_processors(acme)
        assert (model.own, model.name) == (own, "llama" if own else "api.model.example (llama)")


def test_the_docs_say_what_the_page_says() -> None:
    written = " ".join(DOCS.split())
    for title, text in (*trust.PROMISES, *trust.LIMITS):
        assert f"**{title}.** {text}" in written
    for kept in retention.KINDS.values():
        assert f"| {retention.say(kept.usual)} | {', '.join(map(retention.say, kept.choices))} |" in written
