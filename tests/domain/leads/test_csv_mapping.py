"""Which field a column is, and what a row with several columns for one field gives."""

import tomllib
from pathlib import Path

from app.domain.leads import csv_mapping
from app.domain.leads.profiles import Profile

EXPORTS = tomllib.loads(Path(__file__).with_name("crm_headers.toml").read_text(encoding="utf-8"))["export"]
LINK = "https://www.linkedin.com/in/ada"


def guessed(columns: tuple[str, ...] | list[str], *rows: list[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for number, key in csv_mapping.guess_mapping(columns, rows).items():
        if key in csv_mapping.CSV_FIELDS:
            found[key] = (*found.get(key, ()), columns[int(number)])
    return found


def read(header: str, *cells: str) -> Profile:
    columns = header.split(",")
    return csv_mapping.row_reader(csv_mapping.guess_mapping(columns, [list(cells)]))(cells)


def taken(header: str, *cells: str) -> dict[str, object]:
    return read(header, *cells).fields


def test_the_columns_of_exports_are_known_and_their_headers_are_known_as_such() -> None:
    identifying = {"profileUrl", "publicId", "email"}
    for export in EXPORTS:
        columns, fields = tuple(export["columns"]), {key: tuple(names) for key, names in export["fields"].items()}
        assert guessed(columns) == fields, export["program"]
        assert csv_mapping.is_known(columns) is bool(identifying & fields.keys()), export["program"]
    assert guessed(["profile url", "LinkedIn", "url"]) == {"profileUrl": ("profile url",)}
    own = csv_mapping.guess_mapping(["Public Identifier", "Headline", "custom:tier"], [])
    assert own == {"0": "publicId", "1": "headline", "2": "custom:tier"}


def test_bookkeeping_and_addresses_of_staff_are_none_of_the_person() -> None:
    """No more custom fields are guessed than a person may have."""
    for name in [
        "Record ID",
        "Apollo Contact Id",
        "Person - ID",
        "Associated Company IDs",
        "contactId",
        "hs_object_id",
        "Lead Status",
        *("LEID", "OPTIN_IP", "DSTOFF", "createdAt", "Person - Update time", "ADDED_TIME", "Date de création"),
    ]:
        assert csv_mapping.guess_mapping([name, "Email"], [["17", "ada@acme.example"]])["0"] == csv_mapping.IGNORE, name
    chimp = ["Email Address", "TIMEZONE", "CC", "REGION", "GMTOFF", "NOTES"]
    kept = csv_mapping.guess_mapping(chimp, [["ada@acme.example", *"xxxxx"]])
    assert [chimp[int(number)] for number, key in kept.items() if key] == ["Email Address", "NOTES"]
    assert guessed(["Email", "Region"]) == {"email": ("Email",), "location": ("Region",)}
    header = ["Email", *(f"Property {number}" for number in range(150))]
    guess = csv_mapping.guess_mapping(header, [["ada@acme.example", *["x"] * 150]])
    assert sum(key.startswith(csv_mapping.CUSTOM) for key in guess.values()) == 100
    assert guessed(["Contact owner", "Kontakt"], ["me@ours.example", "ada@acme.example"])["email"] == ("Kontakt",)


def test_the_page_of_a_company_is_no_profile() -> None:
    for company in ["https://www.linkedin.com/company/acme", "https://www.linkedin.com/school/acme"]:
        assert guessed(["LinkedIn", "Person Linkedin"], [company, LINK]) == {"profileUrl": ("Person Linkedin",)}, (
            company
        )
        assert guessed(["Company Linkedin Url", "Linkedin Url"], [company, LINK]) == {
            "profileUrl": ("Linkedin Url",)
        }, company
        assert guessed(["Company URL", "Website"], [company, "acme.example"]) == {"companyUrl": ("Website",)}, company


def test_tags_have_no_quotation_marks_around_them() -> None:
    for cell, tags in [
        ('"Newsletter"', ["Newsletter"]),
        ('"Newsletter","Berlin, Mitte"', ["Newsletter", "Berlin, Mitte"]),
        ('"Newsletter"; "Fair" | VIP', ["Newsletter", "Fair", "VIP"]),
        ('13" screens', ['13" screens']),
    ]:
        assert taken("Email,Tags", "ada@acme.example", cell)["tags"] == tags, cell


def test_name_is_what_the_other_columns_leave() -> None:
    for columns, rows, fields in [
        (["Prénom", "Nom"], [], {"firstName": ("Prénom",), "lastName": ("Nom",)}),
        (["Nom", "E-mail"], [], {"fullName": ("Nom",), "email": ("E-mail",)}),
        (["Nombre", "Apellidos"], [], {"firstName": ("Nombre",), "lastName": ("Apellidos",)}),
        (["Vorname", "Name"], [["Ada", "Lovelace"]], {"firstName": ("Vorname",), "lastName": ("Name",)}),
        (["First Name", "Name"], [["Ada", "Ada King"]], {"firstName": ("First Name",), "fullName": ("Name",)}),
        (["First Name", "Last Name", "Name"], [], {"firstName": ("First Name",), "lastName": ("Last Name",)}),
    ]:
        assert guessed(columns, *rows) == fields, columns


def test_the_first_valid_value_of_several_columns_counts() -> None:
    """The other addresses are the person's too, unless a desk reads them; a name of one word erases no last name."""
    for cells, address in [
        (["ada@acme.example", "ada@home.example"], "ada@acme.example"),
        (["", "ada@home.example"], "ada@home.example"),
        (["ada at acme", "ada@home.example"], "ada@home.example"),
        (["", "ada(at)x; ada@home.example; a@b.example"], "ada@home.example"),
        (["a@b ::: ada@home.example", ""], "ada@home.example"),
    ]:
        assert taken("Profile URL,Email,Secondary Email", LINK, *cells)["email"] == address, cells
    cells = ["ada@acme.example", "A.King@home.example; info@acme.example, ada@acme.example"]
    assert taken("Profile URL,Email,Secondary Email", LINK, *cells)["other_emails"] == ["a.king@home.example"]
    profile = read("Profile URL,Email,Secondary Email", LINK, "ada at acme", "")
    assert ("email" in profile.fields, [field for field, _ in profile.problems]) == (False, ["email"])
    assert "ada at acme" in profile.problems[0][1]
    assert taken("Profile URL,Phone,Mobile", LINK, "", "'+49 30 1 ::: +49 30 2")["phone"] == "+49 30 1"
    assert "last_name" not in taken("Profile URL,Full Name", LINK, "Ada")


def test_what_stands_in_place_of_a_value_is_an_empty_cell() -> None:
    """Real names that look alike stay, and what is a placeholder of a value refuses nothing."""
    header = "First Name,Last Name,Email,Company,Phone"
    for nothing in (
        "-",
        "N/A",
        "n/a",
        "NA",
        "#N/A",
        "null",
        "none",
        "unknown",
        "(blank)",
        "???",
        "\u200b",
        "k.A.",
        "不明",
    ):
        one = read(header, nothing, nothing, "ada@x.example", nothing, nothing)
        assert (one.fields, one.problems) == ({"email": "ada@x.example"}, []), nothing
    for first, last in (("Na", "Li"), ("Bob", "Null"), ("Nan", "Goldin"), ("None", "")):
        told = taken("First Name,Last Name,Email", first, last, "a@x.example")
        assert told.get("last_name", "") == last
    assert taken("Name,Profile", "LinkedIn Member", LINK) == {"public_id": "ada", "profile_url": LINK}
    assert taken("First Name,Last Name,Profile", "LinkedIn", "Member", LINK) == {
        "public_id": "ada",
        "profile_url": LINK,
    }
    assert taken("Vorname,Nachname,Profil", "LinkedIn-Mitglied", "", LINK) == {"public_id": "ada", "profile_url": LINK}
    assert read("Email,Profile", "-", LINK).problems == []


def test_an_address_with_a_name_gives_the_name_where_no_column_does() -> None:
    told = taken("Email", "Tom Ng <tom@x.org>")
    assert told == {"email": "tom@x.org", "first_name": "Tom", "last_name": "Ng"}
    assert taken("First Name,Email", "Thomas", "Tom Ng <tom@x.org>")["first_name"] == "Thomas"
    assert taken("Email", "tom@x.org <tom@x.org>") == {"email": "tom@x.org"}


def test_a_public_profile_comes_before_a_link_of_a_paid_product() -> None:
    """Only customers of the product can open the other, whatever the columns are called."""
    sales = "https://www.linkedin.com/sales/lead/ACwAAAB1c2D3,NAME_SEARCH,x"
    header = ["LinkedIn URL", "Default Profile URL"]
    assert guessed(header, [sales, LINK])["profileUrl"] == ("Default Profile URL",)
    assert guessed(["LinkedIn URL"], [sales])["profileUrl"] == ("LinkedIn URL",)
