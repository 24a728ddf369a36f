"""HTML and htmx: one package per feature. A module below here that has an `area` (a Blueprint) is served."""

import pkgutil
from importlib import import_module

from flask import Blueprint, Flask
from flask_login import LoginManager
from jinja2 import StrictUndefined, Undefined
from markupsafe import Markup

from app.core.installation import VERSION
from app.core.mail import markup
from app.domain.rules import message_templates
from app.pages.framework import assets, base, page_permissions, safety, shell, words

pages = Blueprint("pages", __name__)
pages.before_request(safety.check_origin)
pages.before_request(safety.check_text)
for _module in pkgutil.walk_packages(__path__, f"{__name__}."):
    _area = getattr(import_module(_module.name), "area", None)
    if isinstance(_area, Blueprint):
        pages.register_blueprint(_area)


def register(app: Flask) -> None:
    """Register every page."""
    app.request_class = base.PageRequest
    app.url_map.converters["int"] = base.RowId
    safety.configure_security(app)
    login = LoginManager(app)
    login.session_protection = None
    login.user_loader(base.SignedIn.load)
    app.context_processor(shell.context)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.auto_reload = app.config["OVERTURE_DEVELOPMENT"]
    # What a page lacks is an error for developers only: to others, the rest of the page is still of use.
    app.jinja_env.undefined = StrictUndefined if app.config["OVERTURE_DEVELOPMENT"] else Undefined
    app.jinja_env.filters.update(
        number=words.number,
        many=words.many,
        share=words.share,
        own_tags=words.own_tags,
        lines=words.lines,
        span=words.span,
        pieces=words.in_pieces,
        messages=message_templates.split,
        readable=words.readable,
        with_names=words.with_names,
        by_names=words.by_names,
        in_bytes=words.in_bytes,
        is_marked=markup.has_markup,
        mail_html=lambda text: Markup(markup.html(text)),  # nosec B704  it escapes what it was given
        mail_plain=markup.plain,
        signed=markup.signed,
        with_link_named=markup.with_link_named,
        when=base.filter_when,
        age=base.filter_age,
        day=base.filter_day,
    )
    app.jinja_env.globals.update(
        asset=assets.asset,
        may_open=base.may_open,
        pace_of=base.pace_of,
        status_word=words.status_word,
        step_word=words.step_word,
        channel_words=words.CHANNELS,
        face=words.face,
        axis=words.axis,
        time_zones=words.time_zones,
        version=VERSION,
    )
    app.register_blueprint(pages)
    for endpoint, view in app.view_functions.items():
        if endpoint.startswith("pages.") and not page_permissions.public(endpoint):
            app.view_functions[endpoint] = base.signed_in(view)
