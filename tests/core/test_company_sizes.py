"""Sizes of companies as ranges of employees."""

import pytest

from app.core import company_sizes


@pytest.mark.parametrize(
    ("label", "found"),
    [
        ("11-50", [(11, 50)]),
        ("11–200 people", [(11, 50), (51, 200)]),
        ("Over 5,000", [(1001, 5000), (5001, 10_000), (10_001, company_sizes.LARGEST)]),
        ("10,001+", [(10_001, company_sizes.LARGEST)]),
        ("Self-employed", [(1, 10)]),
        ("50-11", []),
        ("enormous", []),
    ],
)
def test_sizes_become_ranges(label: str, found: list[tuple[int, int]]) -> None:
    """With any dash, as many as the label overlaps."""
    assert company_sizes.buckets(label) == found
