"""Referrals: which replies point to another contact, and to whom."""

from app.domain.rules import referral


def test_a_reply_names_who_to_talk_to() -> None:
    for text, name in [
        ("I'm not the right person for this, please talk to Anna Berg.", "Anna Berg"),
        ("Our head of sales, Tom Okafor, decides on such things.", "Tom Okafor"),
        ("I left in spring. My replacement is Priya Raman.", "Priya Raman"),
        ("cc'ing Jonas, he owns the budget.", "Jonas"),
        ("Bitte wenden Sie sich an meine Kollegin Frau Weber.", "Weber"),
        ("Adressez-vous plutôt à Camille Laurent.", "Camille Laurent"),
        ("Habla con Juan Pardo, él lleva este tema.", "Juan Pardo"),
        ("Può contattare la collega Giulia Rossi.", "Giulia Rossi"),
        ("Hiervoor moet je bij collega Piet de Vries zijn.", "Piet de Vries"),
        ("Fale com a Ana Souza, ela cuida disso.", "Ana Souza"),
        ("Proszę o kontakt z Anną Nowak.", "Anną Nowak"),
        ("Kontakta min kollega Petra Lund istället.", "Petra Lund"),
        ("Kontakt venligst min kollega Mette Holm.", "Mette Holm"),
    ]:
        found = referral.read(text)
        assert found is not None, text
        assert found.name == name, text
        assert found.said in text, text


def test_an_address_a_phone_number_and_a_position_belong_to_them() -> None:
    found = referral.read("Please contact Anna Berg, our CFO: anna@acme.example, +44 20 7946 0000. Thanks.")
    assert found is not None
    assert (found.name, found.email, found.position) == ("Anna Berg", "anna@acme.example", "CFO")
    assert found.phone == "+44 20 7946 0000"


def test_a_department_or_an_address_is_enough() -> None:
    department, address = referral.read("Try our purchasing department."), referral.read("Write to info@acme.example.")
    assert department is not None
    assert department.position == "purchasing department"
    assert address is not None
    assert address.email == "info@acme.example"


def test_a_farewell_a_signature_a_quotation_and_a_substitute_are_none() -> None:
    for text in [
        "Talk to you soon.", "Please contact me next week.", "Sure, let's talk.\n\nBest,\nAnna",
        "Sure.\n\nOn Mon, 2 Mar 2026 Ines Duarte wrote:\n> If it is not you, who should I talk to? Anna Berg?",
        "Let me talk to Anna and come back to you.",
        "I am out of the office until 16 March. For urgent matters contact Anna Berg.",
        "Adding Marisol, who keeps my calendar, so she can find us a time.", "I'm not the right person. Good luck.",
        "Let's do Thursday.",
    ]:  # fmt: skip
        assert referral.read(text) is None, text
