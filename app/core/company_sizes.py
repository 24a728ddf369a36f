"""Normalize company sizes to ranges of employees."""

import re

_NUMBER = r"(\d[\d,. ]{0,30}+)"  # possessive (`}+`): no backtracking in long rows of digits
_SIZE = re.compile(rf"{_NUMBER}(?:[-–—]|to)\s*+{_NUMBER}|{_NUMBER}\+|(?:over|more than)\s*+{_NUMBER}", re.IGNORECASE)
_ALONE = re.compile(r"just me|self-employed|solo|one person", re.IGNORECASE)
LARGEST = 10_000_000
BUCKETS = ((1, 10), (11, 50), (51, 200), (201, 500), (501, 1000), (1001, 5000), (5001, 10_000), (10_001, LARGEST))


def employees(label: str) -> tuple[int, int] | None:
    """Return the smallest and largest number of employees; None when the label is no size."""
    if _ALONE.search(label):
        return 1, 1
    found = _SIZE.search(label)
    if found is None:
        return None
    least, most = (int(re.sub(r"\D", "", part or "0") or 0) for part in (found[1] or found[3] or found[4], found[2]))
    most = most or LARGEST
    return (least, most) if least <= most else None


def buckets(label: str) -> list[tuple[int, int]]:
    """Return the usual ranges that the label overlaps."""
    size = employees(label)
    return [] if size is None else [one for one in BUCKETS if one[0] <= size[1] and size[0] <= one[1]]


def named(bucket: tuple[int, int], between: str) -> str:
    """Return a range as services write it, such as 11-50 and 10001+."""
    least, most = bucket
    return f"{least}+" if most == LARGEST else f"{least}{between}{most}"
