"""Every icon that a template or a table names is in the sprite: a missing one shows as nothing at all.

What pages draw in the end, test_every_page.py compares with the sprite.
"""

import re
from pathlib import Path

from app.pages.approvals.wording import FACTS
from app.pages.home.search import COLOURS
from app.pages.leads.lead import LOOKS
from app.pages.leads.signals import ICONS

ROOT = Path(__file__).parents[3]
SPRITE = set(re.findall(r'<symbol id="([\w-]+)"', (ROOT / "static/icons.svg").read_text()))
TABLES = {
    "facts of a draft": set(FACTS.values()),
    "colours": {icon for _, _, icon in COLOURS},
    "moments of a lead": {icon for icon, _ in LOOKS.values()},
    "signals": set(ICONS.values()),
}
NAMED = re.compile(
    r"""\bicons\.svg'\) }}#([\w-]+)"|\b_?(?:icon|glyph)\("([\w-]+)"|\b(?:icon|after)"?[:=] ?"([\w-]+)\""""
)


def test_every_icon_that_is_named_is_in_the_sprite() -> None:
    files = [*(ROOT / "templates").rglob("*.html"), *(ROOT / "app").rglob("*.py")]
    named = {path.name: {word for found in NAMED.findall(path.read_text()) for word in found if word} for path in files}
    assert len(set().union(*named.values())) > 50
    assert {place: missing for place, icons in (named | TABLES).items() if (missing := icons - SPRITE)} == {}
