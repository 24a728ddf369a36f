"""Documents on their pages: read, edited, compared, restored; rules besides them."""

from app.domain.autopilot import documents, setup
from app.models.workspaces import Workspace
from tests.pages.conftest import Web, must_have


def test_a_document_is_shown_and_edited_as_a_new_version(web: Web, acme: Workspace) -> None:
    assert "We'll write this document after setup. You can also start writing yourself." in web.get("/documents").text
    documents.save(acme, "style", "# How we write\n\n- Short.", by_autopilot=True)
    assert "<li>Short.</li>" in web.get("/documents/style").text
    assert web.post("/documents/style", markdown="# How we write\n\n- Very short.", base="1").status_code == 303
    found = documents.get(acme, "style")
    assert (found.version, found.by_autopilot) == (2, False)


def test_what_changed_is_shown_word_by_word(web: Web, acme: Workspace) -> None:
    documents.save(acme, "icp", "Heads of support at shops.")
    documents.save(acme, "icp", "Heads of operations at shops.")
    page = web.get("/documents/icp/versions").text
    must_have(page, "<ins>operations</ins>", "<del>support</del>", "1 addition, 1 removal")
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
    must_have(web.post("/documents/icp", markdown="Mine", base="1"), 409, "Mine", "Version 2 was saved in the meantime")
    assert documents.get(acme, "icp").version == 2
    web.post("/documents/icp", markdown="Mine", base="2")
    assert documents.get(acme, "icp").markdown == "Mine"


def test_an_empty_document_is_refused_rules_are_lines_and_markup_is_text(web: Web, acme: Workspace) -> None:
    must_have(web.post("/documents/icp", markdown="  ", base=""), 422, "Write something")
    assert web.get("/documents/nothing").status_code == 404
    web.post("/documents/rules", rules="Never mention AI.\r\n\r\nNo exclamation marks.")
    assert setup.view(acme).setup.rules == ["Never mention AI.", "No exclamation marks."]
    web.post("/documents/rules", rules="x" * 2000)
    assert len(setup.view(acme).setup.rules) == 2
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


def test_a_document_is_edited_as_headings_and_text(web: Web, acme: Workspace) -> None:
    documents.save(acme, "icp", "# Who\n\nFounders.\n\n## Avoid\n\n- Agencies")
    must_have(web.get("/documents/icp"), 'value="Avoid"', without='name="markdown"')
    sections = {"level": ["1", "2"], "heading": ["Who", "Never"], "text": ["Founders.", "- Agencies\r\n- Banks"]}
    assert web.post("/documents/icp", base="1", **sections).status_code == 303
    assert documents.get(acme, "icp").markdown == "# Who\n\nFounders.\n\n## Never\n\n- Agencies\n- Banks\n"
    web.post("/documents/icp", base="2", **sections)
    assert documents.get(acme, "icp").version == 2, "what is saved again is no new version"


def test_sections_are_added_and_removed_before_anything_is_saved(web: Web, acme: Workspace) -> None:
    sections = {"level": ["1", "2"], "heading": ["Who", "Avoid"], "text": ["Founders.", "Agencies"]}
    assert web.post("/documents/icp", do="add", base="", **sections).text.count('name="heading"') == 3
    must_have(web.post("/documents/icp", do="remove-0", base="", **sections), 'value="Avoid"', without='value="Who"')
    assert documents.find(acme, "icp") is None
    documents.save(acme, "icp", "# Who\n\nFounders.")
    assert ">\n# Who" in web.get("/documents/icp?as=markdown").text
    answer = web.post("/documents/icp", markdown="# Who\n\nBuyers.", base="1")
    assert answer.headers["Location"].endswith("/documents/icp?as=markdown")
