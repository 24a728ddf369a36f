"""Overture. `create_app` is the only place that connects the parts of the program."""

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flask import Flask, Response

LOG = logging.getLogger("app")


def is_data(path: str) -> bool:
    """Return whether a path is answered in JSON, even with an error: those of `/v1` and `/mcp`."""
    from app import api, mcp

    return api.is_ours(path) or mcp.is_ours(path)


def create_app(*, web: bool = True, **overrides: Any) -> "Flask":
    """Create the application; `overrides` are settings that beat the environment.

    Without `web` it answers no request, and loads no page and no endpoint: enough for a command.
    """
    # Imported here, so that a command or a test that needs no app does not load Flask and the rest.
    from flask import Flask

    from app import config, listeners
    from app.core import installation
    from app.core.db import db, prepare_engine
    from app.core.migrations import FlaskCommands

    settings = config.load(**overrides)
    follow(settings)
    for name in config.unknown():
        LOG.warning("There is no setting %s; README lists all of them.", name)
    if installation.has_unknown_proxy():
        LOG.warning("%s %s", installation.NO_PROXIES, installation.SET_PROXIES)
    app = Flask("app", root_path=str(installation.ROOT), template_folder="templates", static_folder="static")
    app.config.update(settings, **_for_flask(settings))
    db.init_app(app)
    with app.app_context():
        prepare_engine(db.engine)
    app.cli.add_command(FlaskCommands(app, db))
    listeners.connect()
    if web:
        _answer_requests(app)
    return app


def _answer_requests(app: "Flask") -> None:
    from flask import request

    from app import api, health, load_shedding, mcp, metrics, pages, provider_webhooks, request_ids
    from app.api.framework.responses import error_answer
    from app.pages.framework.safety import error_page

    def error_response(error: Exception) -> "Response":
        """Answer a failure in the language of its address, JSON or a page."""
        return (error_answer if is_data(request.path) else error_page)(error)

    _trust_proxies(app, app.config["OVERTURE_TRUSTED_PROXIES"])
    request_ids.register(app)
    load_shedding.register(app, is_data)
    for edge in (health, metrics, provider_webhooks, api, mcp, pages):
        edge.register(app)
    app.register_error_handler(Exception, error_response)


def follow(settings: dict[str, Any]) -> None:
    """Configure the process-wide objects by these settings: log, address, keys, files, providers and engine."""
    from app import engines, providers
    from app.core import crypto, error_reports
    from app.core.installation import serve_at
    from app.core.logs import configure_logs
    from app.domain.installation import backup
    from app.domain.platform import secret_rotation
    from app.domain.workspace import server_admins

    configure_logs(settings)
    error_reports.start(settings)
    workers = settings["OVERTURE_ENGINE"] == "procrastinate"
    serve_at(settings["BASE_URL"], settings["OVERTURE_TRUSTED_PROXIES"], workers=workers)
    crypto.use_secret(settings["SECRET_KEY"], settings["OVERTURE_OLD_SECRET_KEYS"], secret_rotation.signing_keys)
    backup.use(backup.Plan.read(settings))
    server_admins.use(settings["OVERTURE_OPERATORS"])
    _keep_beside_secret(settings)
    providers.build(settings)
    engines.connect(settings)


def _trust_proxies(app: "Flask", hops: int) -> None:
    """Read client address, host and scheme from the headers of that many reverse proxies."""
    if hops:
        from werkzeug.middleware.proxy_fix import ProxyFix

        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=hops, x_proto=hops, x_host=hops)  # type: ignore[method-assign]


def _keep_beside_secret(settings: dict[str, Any]) -> None:
    """Keep erasures and audit heads in the instance folder, so that replacing the database does not undo them."""
    from app.domain.platform import audit_heads
    from app.domain.privacy import erasure_list

    place = Path(settings["OVERTURE_INSTANCE"]).absolute(), settings["DATABASE_URL"]
    audit_heads.use(audit_heads.file_of(*place))
    erasure_list.use(erasure_list.file_of(*place))


def _for_flask(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the settings under the names that Flask and its extensions read."""
    return {
        "SECRET_KEY_FALLBACKS": list(settings["OVERTURE_OLD_SECRET_KEYS"]),
        "SQLALCHEMY_DATABASE_URI": settings["DATABASE_URL"],
        "SQLALCHEMY_ENGINE_OPTIONS": _engine_options(settings),
        "TRUSTED_HOSTS": list(settings["OVERTURE_ALLOWED_HOSTS"]) or None,
        "MAX_CONTENT_LENGTH": 50 * 1024 * 1024,
        "MAX_FORM_MEMORY_SIZE": 2 * 1024 * 1024,
    }


def _engine_options(settings: dict[str, Any]) -> dict[str, Any]:
    """Return the engine's options: connections for web and engine threads; errors hide statement values."""
    options = {"pool_size": 2 * settings["OVERTURE_THREADS"] + 12, "max_overflow": 10, "hide_parameters": True}
    # LIFO: the connection that wrote last has the freshest SQLite page cache, and on Postgres is the one most likely
    # still alive.
    options["pool_use_lifo"] = True
    if settings["DATABASE_URL"].startswith("sqlite"):
        return {**options, "connect_args": {"timeout": 15}}
    return options
