"""Documents: versions, restore, difference, and that no one's own words are overwritten."""

import pytest

from app.core.errors import InvalidRequest, NotFound
from app.core.paging import Window, page
from app.domain.autopilot import documents, setup_state
from app.models.autopilot import DocVersion
from app.models.workspaces import Workspace
from tests.domain.autopilot.steering import targeted, the_setup, understood


def test_each_changed_save_is_a_version_and_an_old_one_comes_back_as_a_new_one(
    acme: Workspace, rival: Workspace
) -> None:
    """Nothing is ever lost; the stranger sees none of it."""
    assert documents.save(acme, "style", "Short.\r\n").version == 1
    assert documents.save(acme, "style", "Short.\n").version == 1
    assert documents.save(acme, "style", "Long.").version == 2
    assert documents.get(acme, "style").markdown == "Long."
    assert documents.get(acme, "style", 1).markdown == "Short.\n"
    with pytest.raises(NotFound):
        documents.get(rival, "style")
    assert documents.find(acme, "icp") is None
    for text in ("one", "two", "three"):
        documents.save(acme, "icp", text)
    assert (documents.restore(acme, "icp", 1).version, documents.get(acme, "icp").markdown) == (4, "one")
    with pytest.raises(NotFound):
        documents.restore(acme, "icp", 9)
    with pytest.raises(NotFound):
        documents.save(acme, "diary", "Dear diary")
    for markdown in (" \n", "ä" * 200_001, "a\0b"):
        with pytest.raises(InvalidRequest):
            documents.save(acme, "icp", markdown)
    assert documents.save(acme, "icp", "ä" * 200_000).version == 5


def test_the_difference_is_word_by_word(acme: Workspace) -> None:
    """And both versions can be put together from it."""
    documents.save(acme, "style", "Write short sentences.\nBe kind.")
    documents.save(acme, "style", "Write very short lines.\nBe kind.")
    pieces = documents.difference(acme, "style", 1, 2)
    assert [(piece.side, piece.text) for piece in pieces if piece.side != "same"] == [
        ("new", " very"),
        ("old", "sentences."),
        ("new", "lines."),
    ]
    old = "".join(piece.text for piece in pieces if piece.side != "new")
    assert old == documents.get(acme, "style", 1).markdown


def test_ones_own_words_are_not_overwritten_and_the_newest_of_each_is_what_writers_get(
    acme: Workspace, rival: Workspace
) -> None:
    """What the autopilot wrote itself it may write anew."""
    understood(acme)
    documents.save(acme, "icp", "# Mine")
    targeted(acme)
    assert documents.get(acme, "icp").markdown == "# Mine"
    assert documents.get(acme, "style").by_autopilot
    documents.save(acme, "style", "Never more than 40 words.")
    documents.save(rival, "style", "Theirs")
    rows: list[DocVersion] = list(page(documents.newest(acme), None, Window()).rows)
    assert {one.kind: one.markdown for one in rows} == documents.texts(acme)
    assert setup_state.brief(acme, the_setup(acme)).style == "Never more than 40 words."
