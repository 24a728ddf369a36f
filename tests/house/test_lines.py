"""Lines of templates and style sheets are short enough to read in a diff."""

from tests.house.ours import ROOT

LONGEST = 160


def test_no_line_of_a_template_or_a_style_sheet_is_longer_than_160_characters() -> None:
    """Break a tag between attributes, an expression after a comma, and a rule between declarations."""
    sheets = [*(ROOT / "templates").rglob("*.html"), *(ROOT / "static" / "css").rglob("*.css")]
    long = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sorted(sheets)
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > LONGEST
    ]
    assert sheets
    assert long == []


def test_a_line_of_a_style_sheet_holds_one_rule() -> None:
    """A rule inside a media query is one; the query around it may share its line."""
    sheets = sorted((ROOT / "static" / "css").rglob("*.css"))
    crowded = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sheets
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if line.count("}") > 1 + line.lstrip().startswith("@")
    ]
    assert sheets
    assert crowded == []
