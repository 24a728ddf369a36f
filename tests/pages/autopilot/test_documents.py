"""Documents on their pages: read, edited, compared, restored; rules besides them."""

from app.domain.autopilot import documents, setup
from app.models.workspaces import Workspace
from tests.pages.conftest import Web


def test_a_document_is_shown_and_edited_as_a_new_version(web: Web, acme: Workspace) -> None:
    assert "Written for you after your business is analyzed, or start it yourself." in web.get("/documents").text
    documents.save(acme, "style", "# How we write\n\n- Short.", by_autopilot=True)
    page = web.get("/documents/style").text
    assert "<li>Short.</li>" in page
    assert web.post("/documents/style", markdown="# How we write\n\n- Very short.", base="1").status_code == 303
    found = documents.get(acme, "style")
    assert (found.version, found.by_autopilot) == (2, False)


def test_what_changed_is_shown_word_by_word(web: Web, acme: Workspace) -> None:
    documents.save(acme, "icp", "Heads of support at shops.")
    documents.save(acme, "icp", "Heads of operations at shops.")
    page = web.get("/documents/icp/versions").text
    assert "<ins>operations</ins>" in page
    assert "<del>support</del>" in page
    assert "1 addition, 1 removal" in page
    assert "Choose two versions" in web.get("/documents/icp/versions?from=2&to=2").text


def test_a_version_comes_back(web: Web, acme: Workspace) -> None:
    documents.save(acme, "icp", "First")
    documents.save(acme, "icp", "Second")
    web.post("/documents/icp/versions/1/restore")
    assert (documents.get(acme, "icp").version, documents.get(acme, "icp").markdown) == (3, "First")
    assert web.post("/documents/icp/versions/9/restore").status_code == 404


def test_a_newer_version_is_not_overwritten_unseen(web: Web, acme: Workspace) -> None:
    documents.save(acme, "icp", "First")
    documents.save(acme, "icp", "Theirs")
    answer = web.post("/documents/icp", markdown="Mine", base="1")
    assert answer.status_code == 409
    assert "Mine" in answer.text
    assert "Version 2 was saved in the meantime" in answer.text
    assert documents.get(acme, "icp").version == 2
    web.post("/documents/icp", markdown="Mine", base="2")
    assert documents.get(acme, "icp").markdown == "Mine"


def test_nothing_in_a_document_is_executed(web: Web, acme: Workspace) -> None:
    evils = (
        "<script>alert(1)</script>",
        "<b hx-get='/x'>x</b>",
        "[a](javascript:alert(1))",
        "![p](https://x.example/p)",
    )
    documents.save(acme, "icp", " ".join(evils))
    page = web.get("/documents/icp").text.partition('class="prose"')[2]
    for evil in ("<script", "<b ", "<img", "href="):
        assert evil not in page.partition("</section>")[0]


def test_an_empty_document_is_refused(web: Web, acme: Workspace) -> None:
    answer = web.post("/documents/icp", markdown="  ", base="")
    assert answer.status_code == 422
    assert "Write something" in answer.text
    assert web.get("/documents/nothing").status_code == 404


def test_rules_are_one_a_line(web: Web, acme: Workspace) -> None:
    web.post("/documents/rules", rules="Never mention AI.\r\n\r\nNo exclamation marks.")
    assert setup.view(acme).setup.rules == ["Never mention AI.", "No exclamation marks."]
    web.post("/documents/rules", rules="x" * 2000)
    assert len(setup.view(acme).setup.rules) == 2


def test_strangers_have_documents_of_their_own(web: Web, visitor: Web, acme: Workspace, rival: Workspace) -> None:
    documents.save(acme, "icp", "Ours alone")
    visitor.sign_in("rob@rival.example")
    assert "Ours alone" not in visitor.get("/documents/icp").text
    assert visitor.post("/documents/icp/versions/1/restore").status_code == 404


def test_a_document_is_edited_as_headings_and_text(web: Web, acme: Workspace) -> None:
    documents.save(acme, "icp", "# Who\n\nFounders.\n\n## Avoid\n\n- Agencies")
    page = web.get("/documents/icp").text
    assert 'value="Avoid"' in page
    assert 'name="markdown"' not in page
    sections = {"level": ["1", "2"], "heading": ["Who", "Never"], "text": ["Founders.", "- Agencies\r\n- Banks"]}
    assert web.post("/documents/icp", base="1", **sections).status_code == 303
    assert documents.get(acme, "icp").markdown == "# Who\n\nFounders.\n\n## Never\n\n- Agencies\n- Banks\n"
    web.post("/documents/icp", base="2", **sections)
    assert documents.get(acme, "icp").version == 2, "what is saved again is no new version"


def test_sections_are_added_and_removed_before_anything_is_saved(web: Web, acme: Workspace) -> None:
    sections = {"level": ["1", "2"], "heading": ["Who", "Avoid"], "text": ["Founders.", "Agencies"]}
    page = web.post("/documents/icp", do="add", base="", **sections).text
    assert page.count('name="heading"') == 3
    page = web.post("/documents/icp", do="remove-0", base="", **sections).text
    assert 'value="Avoid"' in page
    assert 'value="Who"' not in page
    assert documents.find(acme, "icp") is None


def test_a_switch_shows_the_markdown_of_a_document(web: Web, acme: Workspace) -> None:
    documents.save(acme, "icp", "# Who\n\nFounders.")
    assert ">\n# Who" in web.get("/documents/icp?as=markdown").text
    answer = web.post("/documents/icp", markdown="# Who\n\nBuyers.", base="1")
    assert answer.headers["Location"].endswith("/documents/icp?as=markdown")
