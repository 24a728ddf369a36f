"""Compress pages, styles and scripts for clients that support it."""

import gzip
import io
import secrets
from functools import lru_cache

from flask import Response, request

FILES = "/static/"  # files that are the same for every user
TEXTS = {"text/html", "text/css", "text/javascript", "image/svg+xml"}
LEAST = 1000  # below, what is saved is less than what it costs
MOST_NOISE = 100


def compress(response: Response) -> Response:
    """Compress the answer, unless it is streamed or empty."""
    own_file = request.path.startswith(FILES)
    if response.mimetype not in TEXTS or (response.is_streamed and not own_file):
        return response
    response.vary.add("Accept-Encoding")
    if not request.accept_encodings["gzip"] or response.status_code in (204, 206, 304):
        return response
    response.direct_passthrough = False
    content = response.get_data()
    if len(content) < LEAST:
        return response
    tag, _ = response.get_etag()
    if tag:
        response.set_etag(tag, weak=True)
    response.set_data(_kept(content) if own_file else _packed(content))
    response.headers["Content-Encoding"] = "gzip"
    return response


@lru_cache(maxsize=64)
def _kept(content: bytes) -> bytes:
    """Compress a shared file once, at the best ratio: it holds no secret."""
    return gzip.compress(content, 9, mtime=0)


def _packed(content: bytes) -> bytes:
    """BREACH mitigation: vary the compressed length."""
    out = io.BytesIO()
    noise = "-" * secrets.randbelow(MOST_NOISE)
    with gzip.GzipFile(noise, "wb", compresslevel=5, fileobj=out, mtime=0) as file:
        file.write(content)
    return out.getvalue()
