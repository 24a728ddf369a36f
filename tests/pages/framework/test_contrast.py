"""The colours of tokens.css, converted from OKLCH to sRGB, have the contrast that people need (WCAG 2.1)."""

import math
import re
from pathlib import Path

TOKENS = Path(__file__).parents[3] / "static" / "css" / "tokens.css"
OKLCH = re.compile(r"oklch\(([\d.]+) ([\d.]+) ([\d.]+)\)")
PAIR = re.compile(r"--([\w-]+):\s*light-dark\((oklch\([^)]*\)),\s*(oklch\([^)]*\))\)")

TEXT = [
    *[("text", ground, 4.5) for ground in ("surface", "bg", "sunken", "raised", "hover", "press")],
    *[("text-2", ground, 4.5) for ground in ("surface", "bg", "sunken", "raised", "hover", "press", "track")],
    *[("text-3", ground, 4.5) for ground in ("surface", "bg", "sunken", "hover", "press")],
    *[("accent-text", ground, 4.5) for ground in ("surface", "accent-soft", "bg", "sunken", "hover")],
    *[("on-accent", ground, 4.5) for ground in ("accent", "accent-hi")],
    *[(f"{tone}-text", f"{tone}-soft", 4.5) for tone in ("warn", "danger", "info", "plum")],
    *[(f"{tone}-text", "surface", 4.5) for tone in ("warn", "danger", "info", "plum")],
    *[("text", f"{tone}-soft", 7) for tone in ("warn", "danger", "info", "accent")],
    ("text", "mark", 4.5),
]
SHAPES = [
    *[("control", ground, 3) for ground in ("surface", "sunken", "bg")],
    *[("accent", ground, 3) for ground in ("surface", "bg", "press")],
    *[(tone, "surface", 3) for tone in ("warn", "danger", "info", "plum", "data-3")],
]
Colour = tuple[float, float, float]


def tokens() -> dict[str, tuple[Colour, Colour]]:
    """Every pair of the file: light and dark, as linear sRGB."""
    return {name: (linear(light), linear(dark)) for name, light, dark in PAIR.findall(TOKENS.read_text())}


def linear(text: str) -> Colour:
    """OKLCH → OKLab → linear sRGB, clipped to what a screen shows."""
    found = OKLCH.fullmatch(text)
    assert found, text
    lightness, chroma, hue = (float(part) for part in found.groups())
    a, b = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    middle = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    rgb = (
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )
    red, green, blue = (min(max(part, 0.0), 1.0) for part in rgb)
    return red, green, blue


def luminance(colour: Colour) -> float:
    """How bright it is, from 0 to 1."""
    return 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2]


def contrast(one: Colour, other: Colour) -> float:
    """From 1 (the same) to 21 (black on white)."""
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def test_every_colour_is_readable_on_its_ground_in_both_themes() -> None:
    colours = tokens()
    pale = [
        (theme, front, ground)
        for front, ground, need in TEXT + SHAPES
        for theme in (0, 1)
        if contrast(colours[front][theme], colours[ground][theme]) < need
    ]
    assert pale == []


def test_the_three_steps_of_a_chart_differ_in_both_themes() -> None:
    colours = tokens()
    for theme in (0, 1):
        steps = [luminance(colours[name][theme]) for name in ("data-1", "data-2", "data-3")]
        assert steps == sorted(steps, reverse=not theme)
        assert contrast(colours["data-2"][theme], colours["data-1"][theme]) >= 1.5
        assert contrast(colours["data-3"][theme], colours["data-2"][theme]) >= 1.5
