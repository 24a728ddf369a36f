"""CSV and Excel workbooks over HTTP: uploaded files and downloads."""

import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO, cast
from urllib.parse import quote

from flask import Response, request, stream_with_context

from app.api.framework.responses import finished
from app.domain.leads import csv_export

CSV, EXCEL = "text/csv", csv_export.EXCEL
BINARY = "application/octet-stream"  # how clients send a file if they are generated and know no CSV
FILES = (CSV, BINARY, EXCEL)
_IN_MEMORY, _PIECE = 1_000_000, 64 * 1024


@dataclass(frozen=True)
class CsvFile:
    """An answer that is a file. `content` is its bytes, or pieces of them that are made while they are sent."""

    name: str
    content: bytes | Iterable[bytes]
    media_type: str = f"{CSV}; charset=utf-8"

    @classmethod
    def of(cls, name: str, table: Iterable[Sequence[str]], format: str) -> "CsvFile":
        """Return a table as a file of one of the FORMATS; '' is CSV."""
        return cls(*csv_export.file(name, table, format))

    def response(self, status: int) -> Response:
        """Return the file as a download; an error before its first chunk is still a JSON error."""
        if isinstance(self.content, bytes):
            response = Response(self.content, status)
        else:
            pieces = iter(self.content)
            first = next(pieces, b"")
            response = Response(stream_with_context(chain([first], pieces)), status)
        response.headers["Content-Type"] = self.media_type
        plain = "".join(sign if sign.isalnum() or sign in " -_." else "_" for sign in self.name)
        shown = plain.encode("ascii", "replace").decode().replace("?", "_")
        exact = {} if shown == plain else {"filename*": f"UTF-8''{quote(plain)}"}
        response.headers.set("Content-Disposition", "attachment", filename=shown, **exact)
        return finished(response)


@dataclass(frozen=True)
class CsvUpload:
    """The file that a request brought; a large one waits on the disk. `digest` is the same for the same bytes."""

    stream: BinaryIO
    size: int
    digest: str


@contextmanager
def received() -> Iterator[CsvUpload]:
    """Stream the request body, which is never held in memory as a whole."""
    digest, size = hashlib.sha256(), 0
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as spool:
        while piece := request.stream.read(_PIECE):
            digest.update(piece)
            size += len(piece)
            spool.write(piece)
        spool.seek(0)
        yield CsvUpload(cast(BinaryIO, spool), size, digest.hexdigest())
