"""What a page can change, `/v1` can: pages_and_operations.csv says by which operation, or why not.

A new button needs a line there.
"""

import csv
from pathlib import Path

from flask import Flask

from app.api.framework.declarations import ENDPOINTS

TABLE = Path(__file__).with_name("pages_and_operations.csv")


def test_every_change_of_a_page_has_an_operation_or_a_reason(app: Flask) -> None:
    with TABLE.open(newline="") as file:
        rows = list(csv.DictReader(file))
    rules = [rule for rule in app.url_map.iter_rules() if "POST" in (rule.methods or ())]
    pages = [rule.endpoint.removeprefix("pages.") for rule in rules if rule.endpoint.startswith("pages.")]
    assert sorted(row["page"] for row in rows) == sorted(set(pages))
    assert [row["page"] for row in rows if bool(row["operations"]) == bool(row["why not"])] == []
    named = {name for row in rows for name in row["operations"].split()}
    assert sorted(named - {one.name for one in ENDPOINTS}) == []
