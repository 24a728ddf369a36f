"""A play idea for each reason to write, those first that fit the business."""

from collections.abc import Sequence

from app.core.text import LONGEST_NAME, shorten
from app.ports.writer import Angle, Brief, PlayIdea
from app.providers.writer.customers import as_typed, firms, meant, sends, swaps, trade_of
from app.providers.writer.grammar import capital, small
from app.providers.writer.reading.words import of
from app.providers.writer.tables.loader import Segment, Trade, texts_of_plays
from app.providers.writer.targeting import located, place_of

# Data of one's own comes first. Former customers have nothing to do with those who send customers.
ORDER = ("former_customers", "site_visitors", "cold", "new_role", "news", "technology", "funded", "hiring")
TO_PARTNERS = ("cold", "new_role")
OWNERS = frozenset(("owner", "founder", "partner", "medical"))  # few of them are new in their role


def ideas(brief: Brief, angles: Sequence[Angle]) -> list[PlayIdea]:
    """Return an idea for each angle that fits, the best first; for every angle if none fits, since it was asked for."""
    known, (segment, role) = trade_of(brief.profile), meant(brief.customer)
    partners, first = sends(brief), known.first if known else ""
    order = TO_PARTNERS if partners else ORDER
    owner = bool(role and role.code in OWNERS)

    def place(angle: Angle) -> tuple[bool, bool, bool, int]:
        late = angle.code == "new_role" and owner
        return late, not (partners or angle.needs), angle.code != first, order.index(angle.code)

    fitting = [angle for angle in angles if angle.code in order and _fits(angle.code, brief, known, segment)]
    if partners and owner:
        fitting = [angle for angle in fitting if angle.code != "new_role"]
    return [idea(brief, angle) for angle in sorted(fitting, key=place) or angles]


def _fits(code: str, brief: Brief, known: Trade | None, segment: Segment | None) -> bool:
    """Return whether an occasion says anything: few bakeries are funded, and to a baker no vacancy is a reason."""
    if code in ("hiring", "news"):
        return bool(known and known.first == code)
    if code == "technology":
        return known.programs if known else brief.profile.kind == "software"
    return code != "funded" or bool(segment and segment.funded)


def idea(brief: Brief, angle: Angle) -> PlayIdea:
    """Return the strategy for one angle."""
    known = trade_of(brief.profile)
    texts = texts_of_plays().get(angle.code, texts_of_plays()["cold"])
    partners = [*(["swaps"] if swaps(brief) else []), *(["partners"] if sends(brief) else [])]
    kinds = [*partners, known.kind if known else brief.profile.kind]
    who = _who(brief)
    filled = {"{Who}": capital(who), "{who}": who, "{companies}": firms(brief), "{where}": located(place_of(brief))}

    def said(field: str) -> str:
        text = next((texts[f"{field}_{kind}"] for kind in kinds if f"{field}_{kind}" in texts), texts[field])
        for mark, words in filled.items():
            text = text.replace(mark, words)
        return text

    why = brief.customer.detail if angle.code == "cold" and brief.customer else ""
    return PlayIdea(
        angle.code,
        shorten(said("name"), LONGEST_NAME),
        said("pitch"),
        why or said("why"),
        said("strategy"),
        said("reaches"),
    )


def _who(brief: Brief) -> str:
    """Return the people of the customer type, for the middle of a sentence."""
    title = brief.customer.title.strip().rstrip(".") if brief.customer else ""
    typed = of(brief.profile.language).large_nouns and as_typed(brief)
    return (title if typed else small(title)) or "people who decide"
