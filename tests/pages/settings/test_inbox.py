"""The inbox's settings without scripts, and snippets and suggestions put into a reply by a plain form."""

from app.domain.conversations import inbox_settings, snippets
from app.domain.engine.manual import compose
from app.models.workspaces import Workspace
from app.ports import Received
from tests.domain.conversations.test_inbox import the_owner
from tests.domain.conversations.test_messages import threads
from tests.domain.engine.manual.test_compose import written
from tests.domain.outreach import takes_in, the_account
from tests.pages.conftest import Web


def test_settings_and_snippets_are_changed(web: Web, acme: Workspace) -> None:
    assert web.post("/settings/inbox", undoSeconds="5", meetingLink="cal.example/all").status_code == 303
    assert web.post("/settings/inbox/mine", ownLink="cal.example/ada").status_code == 303
    assert inbox_settings.meeting_link(acme.id, the_owner(acme).id) == "https://cal.example/ada"
    assert "Enter a number of seconds" in web.post("/settings/inbox", undoSeconds="x", meetingLink="").text
    assert "Enter a link such as" in web.post("/settings/inbox/mine", ownLink="no link").text
    assert web.post("/settings/inbox/snippets", name="Prices", text="Hi {{first_name|there}}").status_code == 303
    assert web.post("/settings/inbox/snippets", name="Prices", text="Hi").status_code == 409
    assert "Write the text." in web.post("/settings/inbox/snippets", name="Other", text="").text
    (made,) = snippets.every(acme)
    assert web.post(f"/settings/inbox/snippets/{made.id}", name="Prices", text="Hello {{first_name|there}}").status_code
    assert "Hello {{first_name|there}}" in web.get("/settings/workspace").text
    assert web.post(f"/settings/inbox/snippets/{made.id}/delete").status_code == 303
    assert snippets.every(acme) == []


def test_a_plain_form_inserts_a_snippet_and_the_suggestion(web: Web, acme: Workspace) -> None:
    takes_in(acme, the_account(acme), Received("ada", "message", "Sounds good, let's talk.", acme.now(), "r1"))
    (talk,) = threads(acme)
    made = snippets.add(acme, "Prices", "Hi {{first_name|there}}, it costs nothing.")
    path = f"/conversations/{talk.id}"
    assert "Which day suits you for a short call?" in web.get(f"{path}/drafted", htmx=True).text
    web.post(f"{path}/messages", do="drafted")
    assert compose.draft(acme, the_owner(acme), talk.id).text.endswith("Which day suits you for a short call?")
    web.post(f"{path}/messages", text="Hello.", do="snippet", snippet=str(made.id))
    assert compose.draft(acme, the_owner(acme), talk.id).text == "Hello.\n\nHi there, it costs nothing."
    assert written(acme) == []
    assert "Choose a date and a time." in web.post(f"{path}/messages", text="Hello.", do="at", at="").text
