"""Let the product read the labelled websites, write for them and check sentences, and count what is right."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import mean

from app.domain.rules import message_templates
from app.ports import ANGLES, ProviderError
from app.ports.writer import Brief, Fact, Profile, Writer
from app.providers.website import WebsiteReader
from tests.eval import rules
from tests.eval.material import Labelled, Sentence, Wish, quote, words_of

DRAW = message_templates.Draw(1, 0)

SENDER = "Maya Lind"
PERSON = {
    "first_name": "Alexandra",
    "last_name": "Berg",
    "full_name": "Alexandra Berg",
    "position": "Operations Manager",
    "company_name": "Northwind Logistics",
    "location": "Gothenburg",
    "sender_name": SENDER,
    "sender_first_name": "Maya",
    "custom.opening": "Operations Manager",
    "custom.round": "Series A",
    "custom.technology": "HubSpot",
    "custom.news": "opening an office in Lyon",
}
OWNER = "We are Bright Desk. We sell office furniture to coworking spaces and law firms in Vienna."
PLAYS = 6  # those that need no connected source


@dataclass
class Outcome:
    """What the product made of one website; `unread` says why there is nothing."""

    site: Labelled
    unread: str = ""
    profile: Profile = field(default_factory=lambda: Profile("", ""))
    note: str = ""
    writers: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    plays: dict[str, list[str]] = field(default_factory=dict)
    false: dict[str, list[str]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What the business is called."""
        return self.profile.name

    @property
    def offer(self) -> str:
        """What it is understood to sell."""
        return self.profile.sells

    @property
    def language(self) -> str:
        """The language that was detected; both forms of Norwegian are one."""
        return {"nb": "no", "nn": "no"}.get(self.profile.language, self.profile.language)

    @property
    def messages(self) -> list[str]:
        """Every message, of every play."""
        return [text for several in self.plays.values() for text in several]

    @property
    def standing(self) -> str:
        """Whether the offer is right, wrong, or not said at all."""
        return "asked" if not self.offer else "right" if rules.offer_right(self.site, self.offer) else "wrong"

    @property
    def speaks(self) -> bool:
        """Whether the messages are in the website's language, or the product says that they are not."""
        return rules.says_so(self.note) or rules.language_of("\n".join(self.messages)) == self.site.language

    def heard(self, writer: Writer) -> None:
        """Keep who wrote the last part, and what was said about it."""
        written = writer.last()
        self.writers.append(written.by)
        self.note = " ".join(filter(None, (self.note, written.note)))

    def sets(self) -> dict[str, set[str]]:
        """The sentences of each play, without names, numbers and the owner's words."""
        blanked = [*owned(self.profile), *PERSON.values()]
        return {
            angle: {one for text in several for one in rules.pieces(text, blanked)}
            for angle, several in self.plays.items()
        }


def owned(profile: Profile) -> list[str]:
    """Return the words in a profile that are the owner's: the name, and what the owner may say of the business."""
    names = ("name", "sells", "audience", "change", "proof")
    return [str(words) for name in names if (words := getattr(profile, name, ""))]


def brief_of(writer: Writer, profile: Profile) -> Brief:
    """Return everything known at the time of writing messages, with the likeliest customers."""
    one = Brief(profile, writer.customer_types(profile)[0], country=profile.country, sender_name=SENDER)
    one = replace(one, targeting=writer.targeting(one))
    documents = writer.documents(one)
    return replace(one, icp=documents["icp"], style=documents["style"])


def reading(site: Labelled, writer: Writer, reader: WebsiteReader, pages: Path, plays: int = PLAYS) -> Outcome:
    """Read a website, write for it, and look for falsehoods."""
    outcome = Outcome(site)
    try:
        profile = writer.profile(reader.read(f"http://{site.host}", lambda page, read: None), "")
    except ProviderError as refusal:
        outcome.unread = refusal.sentence
        return outcome
    outcome.profile = profile
    outcome.heard(writer)
    outcome.types = [f"{one.title}. {one.detail}" for one in writer.customer_types(profile)]
    outcome.heard(writer)
    brief = brief_of(writer, profile)
    for idea in writer.plays(brief, ANGLES[:plays]):
        steps = [step for step in writer.sequence(brief, idea) if step.text]
        filled = [
            [part for text in (step.subject, step.text) for part in message_templates.fill(text, PERSON, DRAW).parts]
            for step in steps
        ]
        outcome.plays[idea.angle] = ["\n".join(filter(None, parts)) for parts in filled]
        outcome.heard(writer)
    said = "\n".join(words_of(site.slug, name, pages) for name in site.pages).casefold()
    for text in outcome.messages:
        if found := rules.falsehoods(site, text, outcome.offer, said):
            outcome.false[text] = found
    return outcome


@dataclass(frozen=True)
class Checked:
    """A labelled sentence, and whether the check objected to it."""

    sentence: Sentence
    flagged: bool


def checking(
    several: Iterable[Sentence], writer: Writer, profile_of: Callable[[str], Profile | None], pages: Path
) -> list[Checked]:
    """Let the product check each sentence against the words it should rest on.

    What is said of the business is checked with these words as a fact of its profile. A laundering answer brings the
    true words as its source and the sentence as what they are to mean. What is said of a recipient is checked with the
    words as what is known of the person.
    """
    found = []
    for one in several:
        profile = profile_of(one.site) if one.site else writer.profile(None, OWNER)
        if profile is None:
            continue
        words = quote(one, pages)
        meant = one.text if one.kind == "laundering" else words
        facts = (*profile.facts, Fact(meant, f"http://{one.site}", words, "claim")) if one.site else profile.facts
        brief = Brief(replace(profile, facts=facts), sender_name=SENDER)
        found.append(Checked(one, bool(writer.check(brief, one.text, [words] if one.said else []))))
    return found


@dataclass(frozen=True)
class Granted:
    """What became of a wish: done, refused or said to be done though it is not; `broken` when a text was left so."""

    wish: Wish
    outcome: str
    broken: bool
    reply: str


def granting(several: Iterable[Wish], writer: Writer) -> list[Granted]:
    """Ask for each wish on the same play."""
    brief = brief_of(writer, writer.profile(None, OWNER))
    idea = writer.plays(brief, ANGLES[:1])[0]
    first = list(writer.sequence(brief, idea))
    found = []
    for wish in several:
        before = [replace(step, text=wish.given.get(step.id, step.text)) for step in first]
        change = writer.change(brief, idea, before, wish.text)
        after = list(change.steps)
        changed, claims = after != before, change.reply.startswith("Done")
        done = changed and rules.met(wish.checks, before, after)
        outcome = "done" if done else "pretended" if claims else "changed otherwise" if changed else "refused"
        known = {step.text for step in before}
        touched = [step for step in after if step.text not in known]
        found.append(Granted(wish, outcome, any(rules.broken(step) for step in touched), change.reply))
    return found


Row = tuple[str, Callable[[Sequence[Outcome]], str]]


def share(several: Iterable[bool]) -> str:
    """Return how many of how many, and the per cent."""
    listed = list(several)
    return f"{sum(listed)}/{len(listed)} ({100 * sum(listed) / len(listed):.0f}%)" if listed else "-"


def percent(figures: Iterable[float]) -> str:
    """Return the mean as per cent."""
    listed = list(figures)
    return f"{100 * mean(listed):.0f}%" if listed else "-"


def rows(every: Sequence[Outcome], writer: str) -> list[Row]:
    """Return the figures about websites; what is shared is counted over all of them."""
    across = rules.shared({one.site.slug: set().union(*one.sets().values()) for one in every if not one.unread})

    def read(several: Sequence[Outcome]) -> list[Outcome]:
        return [one for one in several if not one.unread]

    def named(several: Sequence[Outcome]) -> list[tuple[int, int]]:
        known = [one for one in read(several) if one.site.buyers]
        return [(rules.buyers_named(one.site, one.types), len(one.site.buyers)) for one in known]

    return [
        ("websites read", lambda several: share(not one.unread for one in several)),
        ("parts that fell back", lambda several: share(by != writer for one in read(several) for by in one.writers)),
        ("name right", lambda several: share(rules.name_right(one.site, one.name) for one in read(several))),
        ("offer right", lambda several: share(one.standing == "right" for one in read(several))),
        ("offer asked for or not said", lambda several: share(one.standing == "asked" for one in read(several))),
        ("offer wrong", lambda several: share(one.standing == "wrong" for one in read(several))),
        ("websites with a falsehood", lambda several: share(bool(one.false) for one in read(several))),
        (
            "messages with a falsehood",
            lambda several: share(text in one.false for one in read(several) for text in one.messages),
        ),
        ("a buyer of the website is named", lambda several: share(found > 0 for found, _ in named(several))),
        ("buyers of the website named", lambda several: percent(found / whole for found, whole in named(several))),
        ("language detected", lambda several: share(one.language == one.site.language for one in read(several))),
        ("language written or said", lambda several: share(one.speaks for one in read(several))),
        (
            "sentences shared by 3 businesses",
            lambda several: percent(across[one.site.slug] for one in several if one.site.slug in across),
        ),
        (
            "sentences shared by plays",
            lambda several: percent(rules.repeated([*one.sets().values()]) for one in read(several)),
        ),
    ]


def claims(several: Sequence[Checked]) -> Mapping[str, str]:
    """Return how many unsupported sentences were found, and how many of those found are unsupported."""
    plain = [one for one in several if one.sentence.kind != "laundering"]
    washed = [one for one in several if one.sentence.kind == "laundering"]
    kinds = {"business": "of the business", "recipient": "of the recipient"}
    return {
        "claim check: recall": share(one.flagged for one in several if not one.sentence.supported),
        "claim check: precision": share(not one.sentence.supported for one in several if one.flagged),
        **{
            f"  recall {words}": share(
                one.flagged for one in plain if one.sentence.kind == kind and not one.sentence.supported
            )
            for kind, words in kinds.items()
        },
        "  laundered claims let through": share(not one.flagged for one in washed),
    }


def wished(several: Sequence[Granted]) -> Mapping[str, str]:
    """Return what became of the wishes."""
    outcomes = ("done", "refused", "pretended", "changed otherwise")
    counted = {f"wishes {name}": share(one.outcome == name for one in several) for name in outcomes}
    return {**counted, "wishes that left a broken text": share(one.broken for one in several)}
