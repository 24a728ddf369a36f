"""Excel workbooks (.xlsx): read as CSV, so that everything after treats them as one, and written.

A workbook is a ZIP of XML that can unpack to any size. What it holds is measured before the library reads it.
"""

import csv
import io
import logging
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, time
from tempfile import SpooledTemporaryFile
from typing import Any, BinaryIO, cast
from xml.parsers import expat

from app.core import parallel, text
from app.core.errors import InvalidRequest

MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
MAGIC = b"PK\x03\x04"
LOG = logging.getLogger(__name__)
MOST_BYTES = 40 * 1024 * 1024  # of the file, and of its rows as CSV
MOST_UNPACKED = 100 * 1024 * 1024
MOST_PARTS_LISTED = 256 * 1024  # bytes of the table of contents, which is read whole
MOST_CELLS = 500_000
MOST_ROWS = 1_000_000
MOST_ELEMENTS = 4 * MOST_CELLS
MOST_OF_A_ROW = 100_000  # elements, which the library keeps until the row ends
DEEPEST = 40
LONG_TO_READ = 50_000  # elements; more take half a second
_PIECE, _IN_MEMORY = 256 * 1024, 1_000_000
_END_OF_ZIP, _OF_LARGE_ZIPS = b"PK\x05\x06", b"PK\x06\x07"
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
AS_CSV = "Save the file as CSV (UTF-8), then upload that."
NO_WORKBOOK = f"This is not an Excel workbook (.xlsx). {AS_CSV}"
TOO_LARGE = f"The workbook is too large to read. {AS_CSV}"
TOO_MANY_CELLS = f"The workbook has more than {MOST_CELLS:,} cells. {AS_CSV}"
TOO_LARGE_TO_WRITE = f"An Excel file can have at most {MOST_CELLS:,} cells. Download a CSV instead."


class _Refused(Exception):
    """What is wrong with the workbook, as a sentence."""


def as_csv(head: bytes, stream: BinaryIO) -> BinaryIO:
    """Return the first visible sheet with content as CSV in UTF-8; raise InvalidRequest on `file` if it can't be read.

    Formulas count with the value that was saved. Empty rows stay, so that rows keep their numbers.
    """
    with SpooledTemporaryFile(max_size=_IN_MEMORY) as spool:
        try:
            file = cast(BinaryIO, spool)
            _copy(head, stream, file)
            _measure(file)
            return _first_sheet(file)
        except _Refused as refusal:
            raise InvalidRequest.of(("file", str(refusal))) from None
        except Exception as fault:  # noqa: BLE001  whatever stands in a stranger's file, the answer is a sentence
            LOG.warning("A workbook could not be read", extra={"fields": {"why": type(fault).__name__}})
            raise InvalidRequest.of(("file", NO_WORKBOOK)) from None


def _copy(piece: bytes, stream: BinaryIO, into: BinaryIO) -> None:
    while piece:
        into.write(piece)
        if into.tell() > MOST_BYTES:
            raise _Refused(TOO_LARGE)
        piece = stream.read(_PIECE)


def _measure(file: BinaryIO) -> None:
    """Raise _Refused when the workbook unpacks to more than it may hold.

    `zipfile` never unpacks more of a part than its stated size, so the sum of these is a bound. A sheet may be a part
    of any name, so pictures are looked at as well, as far as they are XML.
    """
    size = file.seek(0, io.SEEK_END)
    file.seek(max(0, size - 66_000))
    tail = file.read()
    end = tail.rfind(_END_OF_ZIP)
    listed = int.from_bytes(tail[end + 12 : end + 16], "little") if end >= 0 else 0
    if listed > MOST_PARTS_LISTED or _OF_LARGE_ZIPS in tail[max(0, end - 20) : max(0, end)]:
        raise _Refused(TOO_LARGE)
    file.seek(0)
    elements = 0
    with zipfile.ZipFile(file) as parts:
        if sum(part.file_size for part in parts.infolist()) > MOST_UNPACKED:
            raise _Refused(TOO_LARGE)
        for part in parts.infolist():
            is_xml = part.filename.lower().endswith((".xml", ".rels"))
            with parts.open(part) as content:
                elements += _Measured(cast(BinaryIO, content), is_xml=is_xml).elements
            if elements > MOST_ELEMENTS:
                raise _Refused(TOO_MANY_CELLS)
    file.seek(0)
    if elements > LONG_TO_READ:
        parallel.take_slot()


class _Measured:
    """How many elements an XML file has; _Refused for one that declares entities or nests deeply.

    Another file is measured up to where it is no XML, which is where the library would stop.
    """

    def __init__(self, content: BinaryIO, *, is_xml: bool) -> None:
        self.elements = self._depth = self._row = 0
        parser = expat.ParserCreate()
        parser.StartElementHandler, parser.EndElementHandler = self._begin, self._end
        parser.StartDoctypeDeclHandler = self._refuse
        try:
            while piece := content.read(_PIECE):
                parser.Parse(piece)
                if len(piece) == _PIECE and b"<" not in piece:  # longer than any cell of Excel
                    raise _Refused(TOO_LARGE)
            parser.Parse(b"", True)
        except expat.ExpatError:
            if is_xml:
                raise

    def _begin(self, name: str, attributes: object) -> None:
        self.elements += 1
        self._depth += 1
        if self._depth <= 3:  # a sheet, its rows, one row
            self._row = self.elements
        if self.elements > MOST_ELEMENTS or self.elements - self._row > MOST_OF_A_ROW or self._depth > DEEPEST:
            raise _Refused(TOO_MANY_CELLS)

    def _end(self, name: str) -> None:
        self._depth -= 1

    def _refuse(self, *_: object) -> None:
        raise _Refused(NO_WORKBOOK)


def _first_sheet(file: BinaryIO) -> BinaryIO:
    from openpyxl import load_workbook

    book = load_workbook(file, read_only=True, data_only=True, keep_links=False)
    out = io.BytesIO()
    written = io.TextIOWrapper(out, "utf-8", newline="")
    for sheet in book.worksheets:
        if sheet.sheet_state == "visible":
            sheet.reset_dimensions()  # the dimensions that the file states may be wrong
            if _write_rows(sheet.iter_rows(values_only=True), written, out):
                break
            written.seek(0)
            written.truncate()
    written.detach()
    out.seek(0)
    return out


def _write_rows(rows: Iterable[Sequence[Any]], out: io.TextIOBase, raw: io.BytesIO) -> bool:
    """Write the rows as CSV with every cell quoted, so that no other delimiter fits; return whether there was any."""
    writer, cells, is_filled = csv.writer(out, quoting=csv.QUOTE_ALL), 0, False
    for number, row in enumerate(rows):
        cells += len(row)
        if number >= MOST_ROWS or cells > MOST_CELLS:
            raise _Refused(TOO_MANY_CELLS)
        if raw.tell() > MOST_BYTES:
            raise _Refused(TOO_LARGE)
        told = [_cell_text(value) for value in row]
        is_filled = is_filled or any(told)
        writer.writerow(told)
    return is_filled


def _cell_text(value: object) -> str:
    """Return a cell as text: whole numbers without a point, days without midnight."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime):
        return str(value.date() if value.time() == time() else value.replace(microsecond=0))
    return str(value)


def write(table: Iterable[Sequence[str]]) -> Iterator[bytes]:
    """Return a workbook of these rows in pieces. Every cell is text: a formula among them is shown, never run.

    It is written at once, not while it is sent, so that a table that is too large is refused with a sentence.
    """
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell

    rows, cells = [], 0
    for row in table:
        rows.append(row)
        cells += len(row)
        if cells > MOST_CELLS:
            raise InvalidRequest(TOO_LARGE_TO_WRITE)
    book = Workbook(write_only=True)
    sheet = book.create_sheet("Overture")
    for row in rows:
        made = []
        for value in row:
            cell = WriteOnlyCell(sheet, _UNPRINTABLE.sub("", text.csv_text(value)))
            cell.data_type, cell.quotePrefix = "s", True
            made.append(cell)
        sheet.append(made)
    out = io.BytesIO()
    book.save(out)
    out.seek(0)
    return iter(lambda: out.read(_PIECE), b"")
