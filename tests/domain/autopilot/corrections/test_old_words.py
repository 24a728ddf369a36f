"""Old words are found word for word, and not where new ones hold them."""

from app.domain.autopilot.corrections.old_words import OldWords, values


def test_old_words_are_found_word_for_word() -> None:
    for gone, now, text, found in [
        (["boots"], ["rubber ducks"], "We sell Boots, as you know.", ["boots"]),
        (["boots"], ["rubber ducks"], "Rebooting.", []),
        (["boots"], ["boots and shoes"], "We sell boots and shoes.", []),
        (["boots"], ["boots and shoes"], "We sell boots and shoes; good boots.", ["boots"]),
        (["boots"], ["Boots"], "We sell boots.", []),
        (["winter boots"], ["ducks"], "Our winter\nboots.", ["winter boots"]),
        (["C++ (courses)"], ["ducks"], "We give C++ (courses) here.", ["C++ (courses)"]),
        ([], [], "Anything.", []),
    ]:
        assert OldWords(gone, now).found(text) == found, gone


def test_each_example_and_fact_counts_by_itself() -> None:
    fields = [("examples", "Acme, Rival"), ("facts", "Since 1990.\nIn Kiel."), ("tone", "formal"), ("name", "X")]
    assert values(fields) == ["Acme", "Rival", "Since 1990", "In Kiel"]
