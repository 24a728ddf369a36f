"""`/mcp` and `overture mcp`: what an AI assistant does in a workspace, as tools of the Model Context Protocol (MCP).

`tool.py` declares a tool, `tools/` has them, `calls.py` runs one. `http.py` and `stdio.py` are the two ways to connect;
both load the official `mcp` package when the first assistant comes, because it takes 40 MB of memory.
"""

from flask import Flask

from app.mcp import http


def register(app: Flask) -> None:
    """Register `/mcp`."""
    app.register_blueprint(http.bp)


def is_ours(path: str) -> bool:
    """Return whether a path belongs to `/mcp`, even if it answers with an error."""
    return path == http.PATH
