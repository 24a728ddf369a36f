"""Judge whether a person fits, with the reason."""

import re
from collections.abc import Mapping

from app.ports import FoundPerson
from app.ports.writer import Brief, Judgement, PlayIdea
from app.providers.writer.customers import segment_of
from app.providers.writer.grammar import capital, harmless, has, listed
from app.providers.writer.tables.loader import judging
from app.providers.writer.taxonomy import segments_in


def judged(brief: Brief, idea: PlayIdea, person: FoundPerson, votes: Mapping[str, str]) -> Judgement:
    """Return a verdict with the reasons for and against."""
    title, company = harmless(person.title, 80), harmless(person.company, 80)
    who = f"{title or 'This person'}{f' at {company}' if company else ''}"
    own = votes.get(person.public_id)
    if own in ("good", "bad"):
        return Judgement(own == "good", f"{who}: you marked them as {own}.")
    liked, disliked = _alike(person, votes, "good"), _alike(person, votes, "bad")
    if disliked and not liked:
        return Judgement(False, f"{who}: you rejected others with the same {listed(disliked)}.")
    for_, against = _weighed(brief, person)
    reason = judging("reasons").get(idea.angle)
    if reason:
        for_.append(reason)
    if liked:
        for_.append(f"you liked others with the same {listed(liked)}")
    fits = not against or bool(liked and "has no decision-making title" not in against)
    if not fits:
        return Judgement(False, capital(f"{who}: {listed(against)}."))
    return Judgement(True, capital(f"{who}: {listed(for_) or 'nothing speaks against them'}."))


def _alike(person: FoundPerson, votes: Mapping[str, str], vote: str) -> list[str]:
    shared = {"title": person.title, "industry": person.industry, "company": person.company}
    given = {key.strip().lower() for key, value in votes.items() if value == vote}
    return [name for name, value in shared.items() if value and f"{name}: {value}".strip().lower() in given]


def _weighed(brief: Brief, person: FoundPerson) -> tuple[list[str], list[str]]:
    for_: list[str] = []
    against: list[str] = []
    rows = brief.targeting.rows if brief.targeting else {}
    titles = [chip.label for chip in rows.get("titles", ()) if chip.on]
    if _is(person.title, "junior"):
        against.append("has no decision-making title")
    elif any(_same_title(person.title, wanted) for wanted in titles):
        for_.append("has one of the titles you look for")
    elif titles and not _is(person.title, "senior"):
        against.append("has none of the titles you look for")
    kinds = [chip.label for chip in rows.get("companyType", ()) if chip.on]
    about = f"{person.industry}\n{person.headline}\n{person.summary}"
    segment = segment_of(brief.customer)
    if any(has(about, kind) for kind in kinds) or (segment and segment in segments_in(about)):
        for_.append("works in the right kind of company")
    elif kinds and person.industry and segments_in(person.industry):
        against.append(f"works in another kind of company ({harmless(person.industry, 50)})")
    places = [chip.label for chip in rows.get("location", ()) if chip.on]
    if places and person.location and any(has(person.location, place) for place in places):
        for_.append("is in a target location")
    return for_, against


def _is(title: str, rank: str) -> bool:
    return bool(re.search(rf"\b(?:{judging('rank')[rank]})\b", title, re.IGNORECASE))


def _same_title(title: str, wanted: str) -> bool:
    return has(title, wanted) or has(wanted, title) or _words(wanted) <= _words(title)


def _words(title: str) -> set[str]:
    return {word for word in re.findall(r"[a-z]+", title.lower()) if word not in ("of", "the", "and", "for")}
