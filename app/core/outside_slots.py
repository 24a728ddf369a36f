"""Web requests that wait for the outside, or read long: the load limiter counts them apart from quick ones."""

from collections.abc import Callable

from flask import g, has_request_context, request

TAKE = "overture.take_long_slot"  # in a request's environment: the limiter's function, which takes the workspace's id


def take_slot() -> None:
    """Count this web request as one that takes long; raise Unavailable where too many do."""
    take: Callable[[int], None] | None = request.environ.get(TAKE) if has_request_context() else None
    if take:
        workspace = g.get("workspace")
        take(workspace.id if workspace is not None else 0)
