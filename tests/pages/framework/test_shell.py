"""What surrounds every page: the navigation and the place in it where one is."""

import re

from flask import Flask, url_for

from app.pages.framework.settings_rail import PLACES
from tests.pages.conftest import Web

# Those of the autopilot open once it was set up.
INSIDE = [
    place.endpoint
    for places in PLACES.values()
    for place in places
    if not place.of_server and not place.endpoint.startswith("pages.autopilot.")
]


def test_the_navigation_shows_one_place_on_each_page_of_the_settings(web: Web, app: Flask) -> None:
    with app.test_request_context():
        addresses = [url_for(endpoint) for endpoint in INSIDE]
    for address in addresses:
        page = web.get(address).text
        sidebar = page[page.index('<nav class="nav') : page.index("</nav>")]
        shown = re.findall(r'href="([^"]+)"[^>]*aria-current="page"', sidebar)
        assert len(shown) == 1, address
        assert not address.startswith("/settings/") or shown == ["/settings"], address
