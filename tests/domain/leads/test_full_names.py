"""A name in one column becomes first and last name."""

from app.domain.leads import full_names


def test_a_name_is_split() -> None:
    for name, first, last in [
        ("Ada Lovelace", "Ada", "Lovelace"), ("Ada", "Ada", ""), ("  Ada   King  ", "Ada", "King"),
        ("Ludwig van Beethoven", "Ludwig", "van Beethoven"), ("Jan-Peter de Vries", "Jan-Peter", "de Vries"),
        ("Anna Maria von der Leyen", "Anna Maria", "von der Leyen"),
        ("Ana Paula da Silva Santos", "Ana Paula", "da Silva Santos"), ("María García López", "María", "García López"),
        ("Dr. Anna Schmidt, PhD", "Anna", "Schmidt"), ("Prof. Dr. h.c. Hans Müller", "Hans", "Müller"),
        ("Anna Schmidt MBA", "Anna", "Schmidt"), ("Martin Luther King Jr.", "Martin", "Luther King"),
        ("Jean-Luc Picard, MD, MBA", "Jean-Luc", "Picard"), ("Lovelace, Ada", "Ada", "Lovelace"),
        ("O'Brien, Mary Jane", "Mary Jane", "O'Brien"), ("Lovelace, Ada, PhD", "Ada", "Lovelace"),
        ("John Q. Public", "John", "Public"), ("J. R. R. Tolkien", "J. R. R.", "Tolkien"),
        ("Ada King (she/her) | CEO 🚀", "Ada", "King"), ("Li Ma", "Li", "Ma"), ("Nagy László", "Nagy", "László"),
        ("山田 太郎", "太郎", "山田"), ("김 철수", "철수", "김"), ("山田太郎", "山田太郎", ""),
        (", Ada", "Ada", ""), ("", "", ""), ("🚀", "🚀", ""),
    ]:  # fmt: skip
        assert full_names.split(name) == (first, last), name
