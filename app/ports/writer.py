"""The writer: its inputs and outputs for analyzing a business and writing messages."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from app.ports.people_search import FoundPerson
from app.ports.sites import Site

BUILT_IN = "built-in"  # the writer without a model
ROWS = ("titles", "companyType", "size", "location")


@dataclass(frozen=True)
class Fact:
    """Something true about the business: in our words, with the page (or "description") and the words that support it.

    `kind` is name, for, audience, outcome, price, customer, place or claim; '' when it does not matter. Messages quote
    it only if the owner ticked it as `quotable`; what the owner typed is no quotation.
    """

    text: str
    page: str
    quote: str
    kind: str = ""
    quotable: bool = False

    @property
    def is_quotation(self) -> bool:
        """Return whether it was read on a page, and not typed by the owner."""
        return self.page not in ("owner", "description")


@dataclass(frozen=True)
class Candidate:
    """A pitch that was made of the site's own words: the sentence, the page, and the words it was made of."""

    pitch: str
    page: str
    quote: str
    topic: str = ""  # the noun that goes with it


@dataclass(frozen=True)
class Profile:
    """A business as it was understood. `category` is a code of the writer's taxonomy, '' when none fits: a guess.

    Messages are built on whole sentences that the founder would say: `pitch` says what we do and for whom, in the first
    person plural; `topic` is what a subject line would call it, as after “a question about”; `change` is what is better
    for the customer afterwards, and `proof` one thing that can be checked. `kind` is service, software or goods. `area`
    is where they work, and becomes the place of the search. `candidates` are the pitches to choose from, the best
    first; until the founder `confirmed` one, the pitch is the first of them, and '' when there is none.

    `name` is what it calls itself, and `examples` are good customers that the owner named. `typed` names what the owner
    typed, which no later reading overwrites, and `dropped` holds the quotes of facts that the owner deleted. `stands`
    are sentences of drafts that a member stands by, so that no check asks again.
    """

    business: str
    summary: str
    category: str = ""
    country: str = ""
    language: str = "en"
    facts: Sequence[Fact] = ()
    name: str = ""
    change: str = ""
    proof: str = ""
    tone: str = ""  # formal, casual or '' for neither
    examples: Sequence[str] = ()
    typed: Sequence[str] = ()
    dropped: Sequence[str] = ()
    pitch: str = ""
    topic: str = ""
    kind: str = ""
    area: str = ""
    candidates: Sequence[Candidate] = ()
    confirmed: bool = False
    stands: Sequence[str] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return what messages say of the business."""
        return tuple(said for said in (self.pitch, self.change, self.proof) if said)


@dataclass(frozen=True)
class CustomerType:
    """One kind of customer the business may have, and why; a `guess` unless the business names it itself."""

    id: str
    title: str
    detail: str
    guess: bool = True


@dataclass(frozen=True)
class Chip:
    """A targeting value that is selected or only suggested."""

    label: str
    on: bool = True


@dataclass(frozen=True)
class Targeting:
    """The target audience: a sentence, values for each of ROWS, and suggestions."""

    summary: str
    rows: Mapping[str, Sequence[Chip]]
    even_better: Sequence[str] = ()


@dataclass(frozen=True)
class Evidence:
    """One thing that is known: the words it rests on, where they stand, and since when or of which day they are.

    `about` is company, signal, title or conversation, of the person who is written to, or business, of the sender's.
    """

    id: int
    about: str
    label: str
    quote: str
    address: str = ""
    date: str = ""  # as in 2026-11-23


@dataclass(frozen=True)
class Sentence:
    """A sentence with the ids of the evidence it rests on."""

    text: str
    facts: Sequence[int] = ()


@dataclass(frozen=True)
class Opener:
    """The first sentences to one person, none when the text of the play stands alone, and a sentence that says why.

    `later` means that the model was not asked now, and can be later.
    """

    sentences: Sequence[Sentence] = ()
    note: str = ""
    later: bool = False


@dataclass(frozen=True)
class SuggestedReply:
    """An answer to what a person wrote, none when nothing can be said honestly, and a sentence that says why.

    It may hold `{{first_name}}` and `{{meeting_link}}`. `later` means that the model was not asked, and can be later.
    """

    sentences: Sequence[Sentence] = ()
    note: str = ""
    later: bool = False

    @property
    def text(self) -> str:
        """Return the sentences as one text."""
        return " ".join(one.text for one in self.sentences)


@dataclass(frozen=True)
class Asked:
    """What a person wrote, how it was meant, what was said before, and whether there is a link to book a meeting."""

    text: str
    sentiment: str
    before: Sequence[tuple[str, str]] = ()  # "us" or "them", and the words
    meeting_link: bool = False


@dataclass(frozen=True)
class Brief:
    """Everything a writer may use: it claims nothing that is not in here.

    `recipient` is the name and company of one person, `evidence` what is known of them, and `opener` the sentences that
    were written for them, each resting on the evidence it names.
    """

    profile: Profile
    customer: CustomerType | None = None
    targeting: Targeting | None = None
    channel: str = "social_email"  # or social, or email
    country: str = ""
    offer_kind: str = "call"  # or other
    offer: str = ""
    sender_name: str = ""
    rules: Sequence[str] = ()  # standing wishes that all writing obeys
    icp: str = ""  # Markdown
    style: str = ""  # Markdown: length, tone, words to avoid
    recipient: str = ""
    evidence: Sequence[Evidence] = ()
    opener: Sequence[Sentence] = ()


@dataclass(frozen=True)
class Angle:
    """One reason to write. `needs` is the source to connect: '', "analytics" or "payments"."""

    code: str
    label: str
    needs: str = ""


ANGLES: tuple[Angle, ...] = (
    Angle("cold", "Fits your customer profile"),
    Angle("new_role", "New in the role"),
    Angle("hiring", "Hiring"),
    Angle("funded", "Just funded"),
    Angle("technology", "Uses a technology"),
    Angle("news", "In the news"),
    Angle("site_visitors", "Visited your website", "analytics"),
    Angle("former_customers", "Former customers", "payments"),
)


@dataclass(frozen=True)
class PlayIdea:
    """A strategy before it has messages."""

    angle: str  # code of an Angle
    name: str
    pitch: str
    why: str
    strategy: str
    reaches: str
    chips: Sequence[str] = ()


@dataclass(frozen=True)
class Wait:
    """A delay before a step."""

    count: int
    unit: str  # minutes, hours or days


@dataclass(frozen=True)
class PlayStep:
    """One step of a play (spec 2.6); `text` holds variables such as {{first_name}}."""

    id: str
    kind: str  # reaction, invite, social or email
    delay: Wait
    after: str  # previous, accept or no_reply
    text: str = ""
    subject: str = ""
    reaction: str = ""


@dataclass(frozen=True)
class Judgement:
    """Whether a person fits, and why, in one sentence."""

    fits: bool
    reason: str


@dataclass(frozen=True)
class Choice:
    """A change of a play that needs no model. With `has_words` it is about a sentence: "Label: the sentence"."""

    code: str
    label: str
    has_words: bool = False


CHANGES: tuple[Choice, ...] = (
    Choice("shorter", "Shorter"),
    Choice("less_formal", "Less formal"),
    Choice("more_formal", "More formal"),
    Choice("question_first", "Question first"),
    Choice("follow_up", "One more follow-up"),
    Choice("wait_longer", "Wait longer"),
    Choice("no_email", "No email"),
    Choice("with_email", "With email"),
    Choice("without_sentence", "Without this sentence", has_words=True),
    Choice("with_sentence", "With this sentence", has_words=True),
)


@dataclass(frozen=True)
class NamedChange:
    """A change as it was asked for, with its sentence and the number of the step, 0 for none."""

    choice: Choice
    words: str = ""
    step: int = 0


def named_change(wish: str) -> NamedChange | None:
    """Return the change that a wish names by code or label, as in "With this sentence in step 3: …"; else None."""
    label, _, words = " ".join(wish.split()).partition(":")
    name, _, number = label.strip(" .!").casefold().partition(" in step ")
    words = words.strip(' “”"')
    for one in CHANGES:
        if name in (one.code, one.label.casefold()) and one.has_words == bool(words):
            return NamedChange(one, words, int(number[:3]) if number.isdecimal() else 0)
    return None


@dataclass(frozen=True)
class Change:
    """The steps after a wish, and why they are as before when nothing changed."""

    steps: Sequence[PlayStep]
    reply: str = ""


@dataclass(frozen=True)
class Made:
    """How one message came about: who wrote it, on which words, for how many tokens, or why the model did not."""

    by: str
    facts: Sequence[str] = ()
    tokens: int = 0
    why: str = ""


@dataclass(frozen=True)
class Written:
    """What a writer gave back, who wrote it, and a sentence when another writer had to stand in.

    `steps` says it of each message by its step's id, where messages were written one by one.
    """

    by: str
    note: str = ""
    steps: Mapping[str, Made] = field(default_factory=dict)


@dataclass(frozen=True)
class Problem:
    """Words of a draft that rest on nothing, or break a rule. `about` is recipient, business, link or rule."""

    words: str
    sentence: str
    about: str = ""


@dataclass(frozen=True)
class Heard:
    """What was last heard of a model: when it answered, or why it did not."""

    at: datetime
    failure: str = ""


class ModelMeter(Protocol):
    """A model's tokens, daily budget and failures. Called outside transactions; a model is named in full."""

    def refusal(self, model: str, daily: int) -> str:
        """Return why the workspace at work is not to ask the model now; '' when it may. `daily` 0 is no budget."""

    def answered(self, model: str, tokens: int) -> None:
        """Count the tokens of an answer."""

    def failed(self, model: str, tokens: int = 0, rest: float | None = None) -> None:
        """Count a failure, with the tokens it may have used, and the seconds that the model asked to be left alone."""

    def heard(self, model: str, failure: str = "") -> None:
        """Remember when a question was answered, or why it was not."""


class Model(Protocol):
    """The model that writes, which the operator chose for the whole installation."""

    name: str
    address: str

    def heard(self) -> Heard | None:
        """Return the last answer of the model in this process, or None."""

    def check(self) -> str:
        """Return a sentence about its answer. Uses a few tokens; Unreachable says why it is not usable."""


Progress = Callable[[int, int], None]


def unseen(done: int, of: int) -> None:
    """Show no progress."""


class Writer(Protocol):
    """Understands and writes. Methods may be slow, are not called in a transaction, and may raise a ProviderError."""

    @property
    def name(self) -> str:
        """Return `built-in`, or the model's name."""

    @property
    def takes_words(self) -> bool:
        """Return whether it changes a play by any words, and not only by those that are offered."""

    def profile(self, site: Site | None, description: str) -> Profile:
        """Write the business profile from its pages or its owner's description; Refused without content."""

    def customer_types(self, profile: Profile) -> Sequence[CustomerType]:
        """Return up to five distinct kinds of customer, the likeliest first; none when nothing says who buys."""

    def near(self, profile: Profile) -> bool:
        """Return whether it sells to people nearby, so that those who send them are its customer types. No call."""

    def documents(self, brief: Brief) -> Mapping[str, str]:
        """Write the first `icp` and `style` documents, in Markdown."""

    def targeting(self, brief: Brief) -> Targeting:
        """Suggest the target audience of the chosen customer type."""

    def plays(self, brief: Brief, angles: Sequence[Angle]) -> Sequence[PlayIdea]:
        """Return an idea for each angle that fits the business, the best first; for every one if none does."""

    def sequence(
        self, brief: Brief, idea: PlayIdea, within: float = math.inf, progress: Progress = unseen
    ) -> Sequence[PlayStep]:
        """Write the steps of a play for the brief's channel, their texts with variables, in so many seconds.

        `progress` hears how many messages are done, and of how many.
        """

    def at_once(self, brief: Brief) -> Sequence[PlayStep]:
        """Write the steps to people who fit, without a model, for a page that changes as somebody types."""

    def topic(self, pitch: str, language: str) -> str:
        """Return what a subject line would call the sentence, without a model; '' when its words hold nothing clean."""

    def opener(self, brief: Brief, idea: PlayIdea, body: str, within: float = math.inf) -> Opener:
        """Write the first sentences to the brief's recipient, from its evidence alone, to stand before the body."""

    def reply(self, brief: Brief, asked: Asked, within: float = math.inf) -> SuggestedReply:
        """Suggest an answer to the brief's recipient, from its evidence alone; it promises and claims nothing else."""

    def judge(self, brief: Brief, idea: PlayIdea, person: FoundPerson, votes: Mapping[str, str]) -> Judgement:
        """Judge whether a person fits; `votes` are the user's votes on other people: public id → "good" or "bad".

        Keys such as "title: Head of People", "industry: Hotels" and "company: Acme" say what the people voted on had in
        common, so that similar people are judged alike.
        """

    def change(
        self, brief: Brief, idea: PlayIdea, steps: Sequence[PlayStep], wish: str, within: float = math.inf
    ) -> Change:
        """Change the play as requested, in so many seconds. Never calls out for a change that `named_change` knows."""

    def offered(self, steps: Sequence[PlayStep], language: str) -> Sequence[Choice]:
        """Return the changes that can be asked for by name. Never calls out."""

    def check(self, brief: Brief, text: str, known: Sequence[str] = ()) -> Sequence[Problem]:
        """Return each number, name and claim that is in neither the brief nor `known`, and each broken rule."""

    def last(self) -> Written:
        """Return who wrote this thread's last result, for pages that must say so."""
