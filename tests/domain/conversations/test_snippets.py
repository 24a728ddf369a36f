"""Snippets: the workspace's own short texts, with the variables of replies, and settings of the inbox."""

import pytest

from app.core.errors import Conflict, InvalidRequest
from app.domain.conversations import inbox_settings, snippets
from app.models.workspaces import Workspace
from tests.domain.conversations.test_inbox import the_owner

pytestmark = pytest.mark.postgres


def fields(call: object, *given: object) -> list[str]:
    with pytest.raises(InvalidRequest) as refusal:
        call(*given)  # type: ignore[operator]
    return [field.path for field in refusal.value.fields]


def test_a_snippet_is_refused_by_field(acme: Workspace) -> None:
    snippets.add(acme, "Prices", "Hello")
    assert fields(snippets.add, acme, "", "") == ["name", "text"]
    assert fields(snippets.add, acme, "n" * 61, "t" * 4001) == ["name", "text"]
    with pytest.raises(Conflict):
        snippets.add(acme, "PRICES", "Hello")
    assert fields(snippets.add, acme, "Broken", "Hi {{frist_name}}") == ["text"]


def test_the_meeting_links_and_the_seconds_to_undo_are_checked(acme: Workspace) -> None:
    owner = the_owner(acme)
    assert acme.undo_seconds == 10
    for link in ("cal example", "javascript:alert(1)", "http://x", "https://a.example/{{x}}"):
        assert fields(inbox_settings.change, acme, 10, link) == ["meetingLink"]
        assert fields(inbox_settings.change_own_link, acme, owner, link) == ["ownLink"]
    assert fields(inbox_settings.change, acme, 121, "") == ["undoSeconds"]
    assert fields(inbox_settings.change, acme, None, "") == ["undoSeconds"]
    inbox_settings.change(acme, 0, "cal.example/all")
    assert inbox_settings.meeting_link(acme.id, owner.id) == "https://cal.example/all"
    inbox_settings.change_own_link(acme, owner, "https://cal.example/ada")
    assert inbox_settings.meeting_link(acme.id, owner.id) == "https://cal.example/ada"
    assert inbox_settings.meeting_link(acme.id, None) == "https://cal.example/all"
