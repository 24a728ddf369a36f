"""Which field a column is, and what a row with several columns for one field gives."""

import pytest

from app.domain.leads import csv_mapping
from app.domain.leads.profiles import Profile
from tests.domain.leads.crm_headers import EXPORTS, Export

LINK = "https://www.linkedin.com/in/ada"


def guessed(columns: tuple[str, ...] | list[str], *rows: list[str]) -> dict[str, tuple[str, ...]]:
    """The columns of each field, as guessed."""
    found: dict[str, tuple[str, ...]] = {}
    for number, key in csv_mapping.guess_mapping(columns, rows).items():
        if key in csv_mapping.CSV_FIELDS:
            found[key] = (*found.get(key, ()), columns[int(number)])
    return found


def read(header: str, *cells: str) -> Profile:
    """A row of a file with these columns."""
    columns = header.split(",")
    return csv_mapping.row_reader(csv_mapping.guess_mapping(columns, [list(cells)]))(cells)


def taken(header: str, *cells: str) -> dict[str, object]:
    """What a row of a file with these columns gives."""
    return read(header, *cells).fields


@pytest.mark.parametrize("export", EXPORTS, ids=lambda export: export.program)
def test_the_columns_of_an_export_are_known(export: Export) -> None:
    assert guessed(export.columns) == export.fields


@pytest.mark.parametrize("export", EXPORTS, ids=lambda export: export.program)
def test_the_header_of_an_export_is_known_as_one(export: Export) -> None:
    identifying = {"profileUrl", "publicId", "email"}
    assert csv_mapping.is_known(export.columns) is bool(identifying & export.fields.keys())


@pytest.mark.parametrize(
    "name",
    [
        "Record ID",
        "Apollo Contact Id",
        "Person - ID",
        "Associated Company IDs",
        "contactId",
        "hs_object_id",
        "Lead Status",
    ],
)
def test_the_bookkeeping_of_a_crm_is_no_custom_field(name: str) -> None:
    assert csv_mapping.guess_mapping([name, "Email"], [["17", "ada@acme.example"]])["0"] == csv_mapping.IGNORE


def test_no_more_custom_fields_are_guessed_than_a_person_may_have() -> None:
    header = ["Email", *(f"Property {number}" for number in range(150))]
    guess = csv_mapping.guess_mapping(header, [["ada@acme.example", *["x"] * 150]])
    assert sum(key.startswith(csv_mapping.CUSTOM) for key in guess.values()) == 100


@pytest.mark.parametrize("company", ["https://www.linkedin.com/company/acme", "https://www.linkedin.com/school/acme"])
def test_the_page_of_a_company_is_no_profile(company: str) -> None:
    assert guessed(["LinkedIn", "Person Linkedin"], [company, LINK]) == {"profileUrl": ("Person Linkedin",)}
    assert guessed(["Company Linkedin Url", "Linkedin Url"], [company, LINK]) == {"profileUrl": ("Linkedin Url",)}
    assert guessed(["Company URL", "Website"], [company, "acme.example"]) == {"companyUrl": ("Website",)}


def test_an_address_of_the_staff_is_no_address_of_the_person() -> None:
    assert guessed(["Contact owner", "Kontakt"], ["me@ours.example", "ada@acme.example"])["email"] == ("Kontakt",)


@pytest.mark.parametrize(
    ("columns", "rows", "fields"),
    [
        (["Prénom", "Nom"], [], {"firstName": ("Prénom",), "lastName": ("Nom",)}),
        (["Nom", "E-mail"], [], {"fullName": ("Nom",), "email": ("E-mail",)}),
        (["Nombre", "Apellidos"], [], {"firstName": ("Nombre",), "lastName": ("Apellidos",)}),
        (["Vorname", "Name"], [["Ada", "Lovelace"]], {"firstName": ("Vorname",), "lastName": ("Name",)}),
        (["First Name", "Name"], [["Ada", "Ada King"]], {"firstName": ("First Name",), "fullName": ("Name",)}),
        (["First Name", "Last Name", "Name"], [], {"firstName": ("First Name",), "lastName": ("Last Name",)}),
    ],
)
def test_name_is_what_the_other_columns_leave(
    columns: list[str], rows: list[list[str]], fields: dict[str, tuple[str, ...]]
) -> None:
    assert guessed(columns, *rows) == fields


@pytest.mark.parametrize(
    ("cells", "address"),
    [
        (["ada@acme.example", "ada@home.example"], "ada@acme.example"),
        (["", "ada@home.example"], "ada@home.example"),
        (["ada at acme", "ada@home.example"], "ada@home.example"),
        (["", "ada(at)x; ada@home.example; a@b.example"], "ada@home.example"),
        (["a@b ::: ada@home.example", ""], "ada@home.example"),
    ],
)
def test_the_first_valid_address_of_several_columns_counts(cells: list[str], address: str) -> None:
    assert taken("Profile URL,Email,Secondary Email", LINK, *cells)["email"] == address


def test_an_address_that_is_none_is_left_out_as_it_was_written() -> None:
    profile = read("Profile URL,Email,Secondary Email", LINK, "ada at acme", "")
    assert ("email" in profile.fields, [field for field, _ in profile.problems]) == (False, ["email"])
    assert "ada at acme" in profile.problems[0][1]


def test_the_first_phone_number_of_several_columns_counts() -> None:
    assert taken("Profile URL,Phone,Mobile", LINK, "", "'+49 30 1 ::: +49 30 2")["phone"] == "+49 30 1"


def test_a_full_name_of_one_word_says_nothing_of_the_last_name() -> None:
    """So that it erases none."""
    assert "last_name" not in taken("Profile URL,Full Name", LINK, "Ada")
