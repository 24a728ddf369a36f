"""Builds static/icons.svg from an unpacked lucide-static 1.62.0 package: python tools/icons.py PACKAGE/icons

Add a name to ICONS and run it again; the sprite is committed, so no one needs the package to run Overture.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ICONS = """
activity arrow-down arrow-down-right arrow-left arrow-right arrow-up arrow-up-right ban bell bookmark building-2
calendar calendar-clock chart-column check chevron-down chevron-right chevron-up chevrons-up-down circle-alert
circle-check circle-dashed circle-help circle-x clock code-xml copy corner-down-right credit-card download ellipsis
external-link eye eye-off fast-forward file-text filter flask-conical gauge git-branch grip-vertical hand heart
hourglass house inbox info key-round keyboard life-buoy link link-2 list list-checks loader-circle lock lock-open
log-out mail map-pin megaphone menu message-circle messages-square monitor moon paperclip pause pencil
phone play plug plus power
quote radar refresh-cw reply rocket rotate-ccw save search send settings shield-ban sliders-horizontal square
square-check sun tag terminal thumbs-down thumbs-up trash-2 triangle-alert undo-2 unplug upload user-check user-plus
user-round users-round webhook x zap
"""

TARGET = Path(__file__).parent.parent / "static" / "icons.svg"


def symbol(name: str, svg: str) -> str:
    """Returns the icon as one <symbol>, drawn with the colour and width of the place it is used in."""
    inner = re.search(r"<svg[^>]*>(.*)</svg>", svg, re.S)
    if inner is None:
        raise SystemExit(f"{name}: not an svg")
    body = re.sub(r"\s+", " ", inner.group(1)).replace(" />", "/>").replace("> <", "><").strip()
    return f'<symbol id="{name}" viewBox="0 0 24 24">{body}</symbol>'


def main(folder: Path) -> None:
    """Writes the sprite with every icon of ICONS."""
    symbols = "\n".join(symbol(name, (folder / f"{name}.svg").read_text()) for name in sorted(ICONS.split()))
    header = "<!-- Lucide 1.62.0, ISC License, https://lucide.dev/license -->"
    TARGET.write_text(f'<svg xmlns="http://www.w3.org/2000/svg">\n{header}\n{symbols}\n</svg>\n')


if __name__ == "__main__":
    main(Path(sys.argv[1]))
