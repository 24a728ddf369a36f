"""Read CSV files of any usual encoding and delimiter as a stream, with broken rows in between."""

import codecs
import csv
import gzip
import io
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import BinaryIO

from app.core import text_encodings
from app.core.errors import InvalidRequest
from app.domain.platform import workbooks

MOST_BYTES = workbooks.MOST_BYTES
MOST_LINES = 1_000_000  # empty ones too: a million are read in a second
LONGEST_LINE = 2**20  # bytes; a longer one is no row of a table, and would become millions of cells
MOST_COLUMNS = 200
MOST_LINES_OF_A_ROW = 100  # more means an unclosed quotation mark
DELIMITERS = (",", ";", "\t", "|")
_CHUNK = 256 * 1024
_NO_TEXT = bytes(sign for sign in range(32) if sign not in b"\t\n\v\f\r\x1a\x1b")
_SAMPLE = 32 * 1024  # bytes of non-ASCII lines from which the encoding is detected
_OTHER_FORMATS = {
    b"\xd0\xcf\x11\xe0": "This is an old or password-protected Excel workbook.",
    b"%PDF": "This is a PDF.",
    b"\x1f\x8b": "This is a compressed file.",
}
BROKEN_QUOTE = "A quotation mark is not closed, or is inside a cell without being doubled."
LONG_CELL = "A cell is longer than 131,072 characters."

Row = tuple[int, list[str], str]
"""The row's number in the file from 1, its cells, and what is wrong with it ('' when it can be read)."""


@dataclass(frozen=True)
class Packed:
    """A file's bytes, compressed, and how they become text."""

    content: bytes
    encoding: str
    lines: int = 0  # about so many, known of an upload


class _Endless(Exception):
    """A row spans more lines than any row has."""


def pack(stream: BinaryIO, encoding: str = "") -> Packed:
    """Read and compress the uploaded file in one pass; raise InvalidRequest on `file` when it is no readable text.

    The encoding is detected, unless one is given. Of an Excel workbook the first sheet is taken, as CSV.
    """
    head = stream.read(_CHUNK)
    if head.startswith(workbooks.MAGIC):
        stream, encoding = workbooks.as_csv(head, stream), ""
        head = stream.read(_CHUNK)
    if not head.strip():
        raise _refusal("The file is empty.")
    for magic, sentence in _OTHER_FORMATS.items():
        if head.startswith(magic):
            raise _refusal(f"{sentence} {workbooks.AS_CSV}")
    guess = _by_mark(head)
    decoder: codecs.IncrementalDecoder | None = None if encoding else codecs.getincrementaldecoder(guess)()
    packed, size, line_ends, begun, sample = io.BytesIO(), 0, 0, 0, bytearray()
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=3, mtime=0) as out:
        chunk = head
        while chunk:
            size += len(chunk)
            if size > MOST_BYTES:
                raise _refusal(
                    f"The file is larger than {MOST_BYTES // 1024 // 1024} MB. Split the file and import each part."
                )
            line_ends += max(chunk.count(b"\n"), chunk.count(b"\r"))
            if line_ends > MOST_LINES:
                raise _refusal(f"The file has more than {MOST_LINES:,} lines. Split the file and import each part.")
            rest = len(chunk) - 1 - max(chunk.rfind(b"\n"), chunk.rfind(b"\r"))  # behind the last end of a line
            begun = rest if rest < len(chunk) else begun + rest
            if begun > LONGEST_LINE:
                raise _refusal(f"A line is longer than {LONGEST_LINE:,} bytes. Check where the file's lines end.")
            decoder = decoder if decoder and _decodes(decoder, chunk) else None
            if len(sample) < _SAMPLE and not chunk.isascii():
                sample += _beyond_ascii(chunk)
            out.write(chunk)
            chunk = stream.read(_CHUNK)
    if encoding:
        return read_as(Packed(packed.getvalue(), encoding, line_ends), encoding)
    if not (decoder and _decodes(decoder, b"", final=True)):
        guess = _detected(bytes(sample), head.startswith(codecs.BOM_UTF8) or guess != "utf-8-sig")
    return Packed(packed.getvalue(), guess, line_ends)


def _beyond_ascii(chunk: bytes) -> bytes:
    """Return the chunk's lines with more than ASCII; the first and the last may be halves in a long file."""
    some = chunk.replace(b"\r", b"\n").split(b"\n")
    whole = some[1:-1] if len(chunk) == _CHUNK else some
    return b"\n".join(line for line in whole if not line.isascii())[:_SAMPLE] + b"\n"


def _detected(sample: bytes, is_marked: bool) -> str:
    """Guess the encoding of a file that is not what its byte-order mark says, or not UTF-8; refuse what is no text."""
    if not any(sign in sample for sign in _NO_TEXT):
        told = sample.decode("utf-8", "replace")
        if told.count("\ufffd") * 10 < sum(not sign.isascii() for sign in told):
            return "utf-8-sig"
        if not is_marked and (found := text_encodings.detect(sample)):
            return found
    raise _refusal(f"The file's encoding isn't supported. {workbooks.AS_CSV}")


def read_as(packed: Packed, encoding: str) -> Packed:
    """Return the file as it reads in this encoding; raise InvalidRequest on `encoding` when it can't be read so."""
    if encoding not in text_encodings.labels():
        raise InvalidRequest.of(("encoding", "Choose one of the encodings."))
    found, lost, others = replace(packed, encoding=encoding), 0, 0
    with suppress(UnicodeError):  # UTF-16 without its mark
        for line in lines(found):
            lost += line.count("\ufffd")
            others += len(line) - len(line.encode("ascii", "ignore"))
        if lost * 10 <= others:
            return found
    raise InvalidRequest.of(("encoding", "The file isn't in this encoding. Choose another encoding."))


def _by_mark(head: bytes) -> str:
    """Return the encoding that the first bytes show; UTF-8 by default."""
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    sample = head[:1000]
    if len(sample) >= 4 and sample[1::2].count(0) > len(sample) // 3:
        return "utf-16-le"
    if len(sample) >= 4 and sample[0::2].count(0) > len(sample) // 3:
        return "utf-16-be"
    return "utf-8-sig"


def _decodes(decoder: codecs.IncrementalDecoder, chunk: bytes, final: bool = False) -> bool:
    try:
        decoder.decode(chunk, final)
    except UnicodeDecodeError:
        return False
    return True


def _refusal(sentence: str) -> InvalidRequest:
    return InvalidRequest.of(("file", sentence))


def lines(packed: Packed) -> Iterable[str]:
    """Yield the file's lines with their line ends, decoded as they are read."""
    raw = gzip.GzipFile(fileobj=io.BytesIO(packed.content))
    return io.TextIOWrapper(io.BufferedReader(raw, _CHUNK), encoding=packed.encoding, errors="replace", newline="")


def sniff(packed: Packed) -> str:
    """Return the delimiter that splits the first rows into equally many cells, more than one."""
    first = list(islice(lines(packed), 60))
    if first and (named := first[0].strip().removeprefix("sep=")) and first[0].startswith("sep="):
        return named[:1] if named[:1] in DELIMITERS else ","
    best = (0.0, 0, ",")
    for delimiter in DELIMITERS:
        widths = [len(cells) for _, cells, problem in read(first, delimiter) if not problem][:30]
        if not widths:
            continue
        usual = max(set(widths), key=widths.count)
        if usual > 1:
            best = max(best, (widths.count(usual) / len(widths), usual, delimiter))
    return best[2]


class _Lines:
    """Lines for csv.reader, with those of the present row kept so that they can be read again."""

    def __init__(self, source: Iterable[str]) -> None:
        self._source = iter(source)
        self._again: deque[str] = deque()
        self.taken: list[str] = []

    def reader(self, delimiter: str) -> Iterator[list[str]]:
        """Return a CSV reader that starts at the current line."""
        return csv.reader(self._feed(), delimiter=delimiter, strict=True)

    def _feed(self) -> Iterator[str]:
        again, taken, source = self._again, self.taken, self._source
        while (line := again.popleft() if again else next(source, None)) is not None:
            taken.append(line)
            if len(taken) > MOST_LINES_OF_A_ROW:
                raise _Endless
            yield line

    def only_first(self) -> str:
        """Return the first line of the current row; its other lines are read again as rows."""
        self._again.extendleft(reversed(self.taken[1:]))
        return self.taken[0]


def read(source: Iterable[str], delimiter: str, width: int = 0) -> Iterator[Row]:
    """Yield the rows that are not empty. A row with a broken quote comes as its line; the rows after it still parse.

    With `width`, a row over several lines with another number of cells counts as broken too.
    """
    taken = _Lines(source)
    reader = taken.reader(delimiter)
    number = 0
    while True:
        taken.taken.clear()
        problem = ""
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problem = LONG_CELL if "field larger" in str(error) and len(taken.taken) == 1 else BROKEN_QUOTE
        except _Endless:
            problem = BROKEN_QUOTE
        number += 1
        if not problem and width and len(cells) != width and len(taken.taken) > 1:
            problem = BROKEN_QUOTE
        if problem:
            cells = taken.only_first().rstrip("\r\n").split(delimiter)
            reader = taken.reader(delimiter)
        if any(cells):
            yield number, cells, problem
