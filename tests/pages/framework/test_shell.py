"""What surrounds every page: the navigation and the place in it where one is."""

import re

from flask import Flask, url_for
from selectolax.parser import HTMLParser

from app.pages.framework.settings_rail import GROUPS, OF_PLANS, OF_SERVER
from tests.pages.conftest import Web

# Those of the autopilot open once it was set up.
PLACES = [
    (group, place)
    for group in GROUPS
    for place in group.places
    if group.slug not in OF_SERVER
    and place.endpoint not in OF_PLANS
    and not place.endpoint.startswith("pages.autopilot.")
]


def test_each_page_of_the_settings_is_one_place_of_the_navigation_and_one_of_the_rail(web: Web, app: Flask) -> None:
    for group, place in PLACES:
        with app.test_request_context():
            old, way, home = url_for(place.endpoint), group.way(place), group.href
        if place.whole:
            assert web.get(old).headers["Location"] == way
        page = web.get(way).text
        for mark, shown in (('<nav class="nav', "/settings/you"), ('<nav class="rail', home)):
            part = page[page.index(mark) :].partition("</nav>")[0]
            assert re.findall(r'href="([^"]+)"[^>]*aria-current="page"', part) == [shown], way
        assert not place.whole or f'<div id="{place.slug}">' in page


def test_the_index_of_the_settings_says_no_name_twice_and_no_plan_where_none_is_sold(web: Web) -> None:
    lines = HTMLParser(web.get("/settings").text).css(".todo .what")
    said = {line.css_first("a").text(): line.css_first("p").text() for line in lines}  # type: ignore[union-attr]
    assert said["Team"] == "Members and roles."
    assert said["Developers"] == "API keys, Webhooks"
    assert said["Data"] == "Audit log, Trust"


def test_the_navigation_of_an_open_page_is_told_what_waits(web: Web) -> None:
    told = web.get("/notifications/waiting", htmx=True).text
    assert {
        'hx-target="#count-a"',
        'hx-target="#count-c"',
        'hx-target="#count-s"',
        'hx-target="#sandbox-card .sandbox"',
    } <= {*re.findall(r'hx-target="[^"]+"', told)}
    assert web.get("/notifications/waiting").headers["Location"] == "/notifications"
