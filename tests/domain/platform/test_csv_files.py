"""CSV files: encodings, delimiters, and rows that stay readable beside a broken one."""

import io

import pytest

from app.core.errors import InvalidRequest
from app.domain.platform import csv_files
from app.domain.platform.csv_files import BROKEN_QUOTE, LONG_CELL, MOST_LINES_OF_A_ROW, read


def packed(content: bytes) -> csv_files.Packed:
    return csv_files.pack(io.BytesIO(content))


def text_of(content: bytes) -> str:
    return "".join(csv_files.lines(packed(content)))


def test_a_file_of_a_usual_encoding_is_read_as_it_was_written() -> None:
    """Also a character that the end of a block cuts in two."""
    written = "name,city\r\nZoë,Köln\r\n" * 40
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"):
        assert text_of(written.encode(encoding)) == written, encoding
    written = "a" * (256 * 1024 - 1) + "ö"
    assert text_of(written.encode()) == written


def test_what_is_no_text_is_refused_by_its_kind() -> None:
    for content, sentence in (
        (b"", "The file is empty."),
        (b" \n \n", "The file is empty."),
        (b"PK\x03\x04 sheet", "not an Excel workbook"),
        (b"\xd0\xcf\x11\xe0", "password-protected Excel"),
        (b"%PDF-1.7", "PDF"),
        (b"\x1f\x8b\x08", "compressed"),
        (b"a," * 2**20, "A line is longer"),
        (b"name\n" + b"a" * 2**21 + b"\nAda\n", "A line is longer"),
        (b"name\n\x01\xff", "encoding isn't supported"),
        ("name\nZ".encode("utf-8-sig") + b"\xff\xfe\xff", "encoding isn't supported"),
    ):
        with pytest.raises(InvalidRequest) as refusal:
            packed(content)
        (field,) = refusal.value.fields
        assert field.path == "file"
        assert sentence in field.message


def test_a_file_that_is_not_in_the_encoding_asked_for_is_refused() -> None:
    """One damaged name among many is not what tells."""
    for content, encoding in ((b"name\nAda\n", "utf-16"), ("name\nZoë\n".encode("cp1252"), "utf-8-sig")):
        with pytest.raises(InvalidRequest) as refusal:
            csv_files.pack(io.BytesIO(content), encoding)
        (field,) = refusal.value.fields
        assert field == ("encoding", "The file isn't in this encoding. Choose another encoding.")
    damaged = "Zoë\n".encode() * 20 + b"Zo\xeb\n"
    assert csv_files.pack(io.BytesIO(damaged), "utf-8-sig").encoding == "utf-8-sig"


def test_the_delimiter_is_the_one_that_splits_rows_evenly() -> None:
    for text, delimiter in (
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2\n3,5;4\n", ";"),
        ("a\tb\n1\t2\n", "\t"),
        ("a|b|c\n1|2|3\n", "|"),
        ("sep=;\na,b;c\n", ";"),
        ("one column\nof words\n", ","),
        ("a,b;c\n1,2;3\n4,5;6,7\n", ";"),
    ):
        assert csv_files.sniff(packed(text.encode())) == delimiter, text


def test_a_broken_row_costs_only_itself_and_rows_keep_their_numbers() -> None:
    """A quoted cell may have lines where the width is kept."""
    assert list(read(["a,b\n", ",\n", "\n", "c,d\n"], ",")) == [(1, ["a", "b"], ""), (4, ["c", "d"], "")]
    rows = list(read(['a,"b\n', "c,d\n", "e,f\n"], ","))
    assert rows == [(1, ["a", '"b'], BROKEN_QUOTE), (2, ["c", "d"], ""), (3, ["e", "f"], "")]
    rows = list(read(['"a,b\n', *["c,d\n"] * (2 * MOST_LINES_OF_A_ROW)], ","))
    assert [problem for _, _, problem in rows] == [BROKEN_QUOTE] + [""] * 2 * MOST_LINES_OF_A_ROW
    ((number, _, problem), after) = read(["a," + "x" * 140_000 + "\n", "c,d\n"], ",")
    assert (number, problem, after) == (1, LONG_CELL, (2, ["c", "d"], ""))
    lines = ['"a\n', 'b",c\n', "d,e\n"]
    assert list(read(lines, ",", width=2)) == [(1, ["a\nb", "c"], ""), (2, ["d", "e"], "")]
    assert [problem for _, _, problem in read(lines, ",", width=3)] == [BROKEN_QUOTE, "", ""]


def test_a_file_of_millions_of_empty_lines_is_refused_before_they_are_read() -> None:
    for end in (b"\n", b"\r\n", b"\r"):
        with pytest.raises(InvalidRequest) as refused:
            packed(b"name" + end * (csv_files.MOST_LINES + 1))
        assert "more than 1,000,000 lines" in refused.value.fields[0].message
        assert packed(b"name" + end * 1000).lines == 1000
