"""Hours that never meet: senders who never work in the hours of a campaign."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from app.domain.rules.schedules import working_hours


def never_open(campaign: Any, senders: Iterable[Any], at: datetime) -> list[Any]:
    """Return the senders whose working hours never overlap with the campaign's, dates and absences aside."""
    window = replace(working_hours.of_campaign(campaign), closures=())
    found = []
    for sender in senders:
        theirs = replace(window, timezone=sender.timezone) if campaign.recipient_time else window
        own = replace(working_hours.of_sender(sender), closures=())
        if working_hours.next_open([theirs, own], at) is None:
            found.append(sender)
    return found


def sentences(campaign: Any, senders: Sequence[Any], zones: Iterable[tuple[str, int]], at: datetime) -> list[str]:
    """Return what to say before a campaign starts: which senders will do nothing, and for how many people.

    `zones` counts the people of the campaign by their time zone, where it is believed.
    """
    idle = never_open(campaign, senders, at)
    said = [
        f"{sender.name} never works in the campaign's hours, so people of this sender would wait for good."
        for sender in idle
    ]
    if campaign.recipient_time:
        window = replace(working_hours.of_campaign(campaign), closures=())
        for sender in senders:
            if sender in idle:
                continue
            own = replace(working_hours.of_sender(sender), closures=())
            for zone, number in zones:
                if working_hours.next_open([replace(window, timezone=zone), own], at) is None:
                    people = f"{number} person" if number == 1 else f"{number} people"
                    said.append(f"{sender.name} never works in the campaign's hours in {zone}: {people} would wait.")
    return said
