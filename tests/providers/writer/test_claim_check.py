"""The claim check: a sentence is compared with the words it rests on, in several languages, and only claims count."""

from dataclasses import replace

from app.ports.writer import Brief, Fact, Profile
from app.providers.writer import BuiltInWriter, sequences
from app.providers.writer.claims import claim_check

CHECK = BuiltInWriter().check
PAGE = "https://alder.example/"
# A quotation and a sentence that says the same, in other forms of the words, and with a number in words or digits.
SAID = [
    ("Pump repair for breweries since 1998", "We have repaired pumps for breweries since 1998."),
    ("Free delivery within five days", "Delivery is free within 5 days."),
    ("Wartung von Pumpen und Ventilen", "Wir warten Pumpen und Ventile."),
    ("Réparation de pompes depuis 2004", "Nous réparons des pompes depuis 2004."),
    ("Reparación de bombas para bodegas", "Reparamos bombas para bodegas."),
    ("Riparazione di pompe industriali", "Ripariamo pompe industriali."),
    ("Reparatie van pompen binnen twee dagen", "Wij repareren pompen binnen 2 dagen."),
    ("Alder Works never subcontracts a repair", "We never subcontract a repair."),
    ("Established in 1998, Alder Works repairs pumps", "Alder Works was founded in 1998."),
    ("Fundada em 1998, a Alder Works repara bombas", "A Alder Works existe desde 1998."),
    ("Inspection of all pump types", "We inspect pumps of every type."),
]
# A quotation and a sentence that says more: a number, a superlative, a name, a result, or the opposite.
SAID_MORE = [
    ("Pump repair for breweries since 1998", "We have repaired pumps for breweries since 1978."),
    ("Pump repair for breweries", "We are the best at pump repair for breweries."),
    ("Pump repair for breweries", "Heineken lets us repair its pumps."),
    ("Pump repair for breweries", "Breweries save half their costs with us."),
    ("Alder Works never subcontracts a repair", "We subcontract a repair."),
    ("Wartung von Pumpen", "Wir sind der größte Pumpenbauer Bayerns."),
    ("Réparation de pompes", "Nos clients gagnent deux heures par jour."),
    ("Reparación de bombas", "Todas nuestras bombas tienen diez años de garantía."),
    ("Riparazione di pompe", "Siamo partner certificati di Grundfos."),
    ("Reparatie van pompen", "Wij hebben 300 brouwerijen geholpen."),
    ("ISO certified since 1998", "We were founded in 1998."),
]
CLAIMS_NOTHING = [
    "Congratulations on the Series A!",
    "How do you handle DeFi reporting today?",
    "Perhaps the Rotterdam office is the right place for this.",
    "Wäre ein kurzes Gespräch für Sie interessant?",
    "Wenn die Wartung der Pumpen ein Thema ist, melden Sie sich gern.",
    "Ich würde mich freuen, von Ihnen zu hören.",
    "If it helps, I can send you two sentences about it.",
    "Would 15 minutes on Tuesday suit you?",
    "Hi Anna, thanks for connecting.",
    "Best regards,\nMaya Lind",
]


def brief(*quotes: str, meant: str = "", sells: str = "") -> Brief:
    facts = [Fact(meant or one, PAGE, one, "claim", quotable=True) for one in quotes]
    return Brief(Profile("", "", name="Alder Works", sells=sells, facts=facts), sender_name="Maya Lind")


def objected(text: str, *quotes: str, known: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    return [(one.words, one.about) for one in CHECK(brief(*quotes), text, known)]


def test_a_sentence_may_say_what_its_quotation_says_and_no_more() -> None:
    assert [(quote, text, found) for quote, text in SAID if (found := objected(text, quote))] == []
    assert [(quote, text) for quote, text in SAID_MORE if objected(text, quote) != [(text, "business")]] == []


def test_what_a_fact_is_said_to_mean_proves_nothing() -> None:
    """A true quotation launders no claim, and what is offered is no source of itself; what the owner typed is one."""
    claim = "We cut the costs of every brewery by 40%."
    assert CHECK(brief("Pump repair", meant=claim), claim)
    assert CHECK(brief("Pump repair", sells="accounting software"), "We offer accounting software.")
    assert CHECK(replace(brief("Pump repair"), icp=claim, style=claim), claim)
    assert CHECK(replace(brief(), offer="a free pump inspection"), "We offer a free pump inspection.") == []


def test_questions_wishes_and_greetings_claim_nothing_but_hide_no_claim() -> None:
    """Common words, place names and nouns with a capital are no claims; a number needs a source wherever it stands."""
    known = ("Anna", "Pine Labs raised a Series A of $4 million")
    assert [text for text in CLAIMS_NOTHING if objected(text, "Pump repair", known=known)] == []
    assert objected("Did you know that we halve the costs of breweries?", "Pump repair") != []
    assert objected("Would you like to save 40%?", "Pump repair") == [("40%", "business")]


def test_what_is_claimed_of_the_recipient_comes_first() -> None:
    """What is known of them is one source as a whole."""
    known = ("Anna", "Head of Operations", "Nordfrakt", "Nordfrakt is hiring a Warehouse Manager")
    assert objected("I saw that you are Head of Operations at Nordfrakt.", known=known) == []
    text = "We won an award. Nordfrakt is losing drivers."
    assert objected(text, known=known) == [
        ("Nordfrakt is losing drivers.", "recipient"),
        ("We won an award.", "business"),
    ]


def test_a_quotation_word_for_word_needs_no_more() -> None:
    quote = "A repair takes two days, whatever the pump."
    assert objected(f"From our website: “{quote}”", quote) == []
    assert objected("From our website: “A repair takes two hours.”", quote) != []


CUT = "Parcelwise cut its tickets by a third"
ON_SITE = Fact(CUT, "https://tidemark.example/", f"{CUT} in two months.", "proof")
TIDEMARK = Profile("B", "S", name="Tidemark", sells="support software", proof=CUT, facts=(ON_SITE,))


def letters(profile: Profile) -> str:
    return "\n".join(step.text for step in sequences.steps(Brief(profile), "cold"))


def unticked(profile: Profile, text: str) -> list[str]:
    """The quotations in a text that need a tick."""
    found = claim_check.problems(Brief(profile), text)
    return [one.words for one in found if "quotes your website" in one.sentence]


def test_the_words_of_the_website_need_a_tick() -> None:
    """What the owner typed is no quotation, and neither are two words in quotation marks."""
    ticked = replace(TIDEMARK, facts=(replace(ON_SITE, quotable=True),))
    assert CUT not in letters(TIDEMARK)
    assert CUT in letters(ticked)
    for page in ("owner", "description"):
        assert CUT in letters(replace(TIDEMARK, facts=(replace(ON_SITE, page=page),))), page
    for marks in ("“{}”", "„{}“", '"{}"', "« {} »"):
        text = f"Hello, our site says {marks.format(CUT)}. Is that of use?"
        assert (unticked(TIDEMARK, text), unticked(ticked, text)) == ([CUT], []), marks
    assert unticked(TIDEMARK, "Hello, what does “a third” mean to you?") == []
