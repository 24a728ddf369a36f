"""Excel workbooks, of which each can be made to harm whoever reads it."""

import io
import zipfile
from datetime import date, datetime, time

import openpyxl
import pytest

from app.core.errors import InvalidRequest
from app.domain.platform import csv_files, workbooks

SHEET = "xl/worksheets/sheet1.xml"
ROWS = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{}</sheetData></worksheet>'
)


def book(*rows: list[object], hidden: str = "") -> bytes:
    made, out = openpyxl.Workbook(), io.BytesIO()
    if hidden:
        first = made.create_sheet("Notes", 0)
        first.append([hidden])
        first.sheet_state = "hidden"
        made.active = 1
    for row in rows:
        made["Sheet"].append(row)
    made.save(out)
    return out.getvalue()


def with_sheet(content: str, part: str = "sheet1.xml") -> bytes:
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(book(["a"]))) as given,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as written,
    ):
        for name in given.namelist():
            held = given.read(name).replace(b"sheet1.xml", part.encode())
            written.writestr(name.replace("sheet1.xml", part), content if name == SHEET else held)
    return out.getvalue()


def read(raw: bytes) -> list[csv_files.Row]:
    packed = csv_files.pack(io.BytesIO(raw), "cp1252")
    assert packed.encoding == "utf-8-sig"
    return list(csv_files.read(csv_files.lines(packed), csv_files.sniff(packed)))


def test_the_first_visible_sheet_is_read_with_the_numbers_of_its_rows() -> None:
    raw = book(
        ["Email", "Phone", "Since", "Score", "Sum"],
        [],
        ["ada@x.example; Ada", 4915112345678, date(2026, 5, 1), 2.0, "=1+1"],
        ["Zoë\nÖz", 0.5, datetime.combine(date(2026, 5, 1), time(9, 30)), True, None],
        hidden="internal",
    )
    assert read(raw) == [
        (1, ["Email", "Phone", "Since", "Score", "Sum"], ""),
        (3, ["ada@x.example; Ada", "4915112345678", "2026-05-01", "2", ""], ""),
        (4, ["Zoë\nÖz", "0.5", "2026-05-01 09:30:00", "TRUE"], ""),
    ]
    assert read(book(["one;two"], ["three;four"])) == [(1, ["one;two"], ""), (2, ["three;four"], "")]


def test_a_hostile_or_broken_workbook_is_refused_with_a_sentence() -> None:
    many = io.BytesIO()
    with zipfile.ZipFile(many, "w") as listed:
        for number in range(6000):
            listed.writestr(f"{number:040}", b"")
    for raw, sentence in (
        (with_sheet(ROWS.format(" " * workbooks.MOST_UNPACKED)), workbooks.TOO_LARGE),
        (with_sheet(ROWS.format("<row><c><v>" + "x" * 1_000_000 + "</v></c></row>")), workbooks.TOO_LARGE),
        (with_sheet(ROWS.format(" " * workbooks.MOST_UNPACKED), "sheet1.png"), workbooks.TOO_LARGE),
        (with_sheet(ROWS.format("<row>" + "<c/>" * 200_000 + "</row>"), "sheet1.png"), workbooks.TOO_MANY_CELLS),
        (many.getvalue(), workbooks.TOO_LARGE),
        (b"PK\3\4" + b"x" * workbooks.MOST_BYTES, workbooks.TOO_LARGE),
        (with_sheet(ROWS.format("<row>" + "<c/>" * 200_000 + "</row>")), workbooks.TOO_MANY_CELLS),
        (with_sheet(ROWS.format('<row r="99999999999"><c r="A1"><v>1</v></c></row>')), workbooks.TOO_MANY_CELLS),
        (with_sheet(ROWS.format('<row><c r="XFD1"><v>1</v></c></row>' * 40)), workbooks.TOO_MANY_CELLS),
        (with_sheet(ROWS.format("<a>" * 1000)), workbooks.TOO_MANY_CELLS),
        (with_sheet('<!DOCTYPE a [<!ENTITY b "c">]>' + ROWS.format("")), workbooks.NO_WORKBOOK),
        (with_sheet("<a"), workbooks.NO_WORKBOOK),
        (b"PK\3\4 something else", workbooks.NO_WORKBOOK),
        (book()[:-40], workbooks.NO_WORKBOOK),
    ):
        with pytest.raises(InvalidRequest) as refusal:
            read(raw)
        assert [(one.path, one.message) for one in refusal.value.fields] == [("file", sentence)]


def test_a_workbook_that_we_write_holds_texts_alone() -> None:
    table = [["name", "phone"], ["'=HYPERLINK(1)", "'+49 170"], ["\0\x0b\ud800Zoë", "<&> two\nlines"]]
    raw = b"".join(workbooks.write(table))
    cells = [cell for row in openpyxl.load_workbook(io.BytesIO(raw)).active for cell in row]  # type: ignore[union-attr]
    assert [cell.value for cell in cells] == ["name", "phone", "=HYPERLINK(1)", "+49 170", "Zoë", "<&> two\nlines"]
    assert {(cell.data_type, cell.quotePrefix) for cell in cells} == {("s", True)}
    with pytest.raises(InvalidRequest, match="at most 500,000 cells"):
        workbooks.write([["a"] * 1000] * 501)
