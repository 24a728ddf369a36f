"""What was spent, day by day, for people to read. It only reads."""

from collections import Counter
from datetime import date, timedelta
from zoneinfo import ZoneInfo

from app.domain.billing import credits
from app.domain.ledger.charts import Bar, Chart
from app.models.workspaces import Workspace

PURPOSES = {"signals": "Signals", "email": "E-mail addresses", "phone": "Phone numbers"}
DAYS = 30


def chart(workspace: Workspace, days: int = DAYS) -> Chart:
    """What was paid on each of the last days, less what was given back on it, in the workspace's time zone."""
    zone = ZoneInfo(workspace.timezone)
    today = workspace.now().astimezone(zone).date()
    spent: Counter[tuple[str, date]] = Counter()
    for at, purpose, number in credits.spent(workspace, workspace.now() - timedelta(days=days)):
        spent[purpose, at.astimezone(zone).date()] += number
    sums = {purpose: sum(number for (of, _), number in spent.items() if of == purpose) for purpose in PURPOSES}
    order = sorted(PURPOSES, key=lambda purpose: -sums[purpose])
    first = today - timedelta(days=days - 1)
    bars = [
        Bar(day, tuple(max(spent[purpose, day], 0) for purpose in order), day == today)
        for day in (first + timedelta(days=number) for number in range(days))
    ]
    return Chart([PURPOSES[purpose] for purpose in order], [""] * len(order), bars)
