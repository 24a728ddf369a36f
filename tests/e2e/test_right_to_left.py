"""Names and messages in Arabic and Hebrew, among all the others."""

from playwright.sync_api import Page

from app.domain.leads import leads, lists
from app.models.workspaces import Workspace

LONG = "محمد عبد الرحمن بن سليمان بن خالد بن عبد العزيز الفارسي"
# Where the first and the last letter of what someone is called stand, and the box they have to be in.
PLACES = """one => {
  const text = document.createTreeWalker(one, NodeFilter.SHOW_TEXT).nextNode(), box = one.getBoundingClientRect();
  const [first, last] = [0, text.length - 1].map(at => {
    const letter = new Range();
    letter.setStart(text, at);
    letter.setEnd(text, at + 1);
    return letter.getBoundingClientRect();
  });
  return { left: box.left, right: box.right, first: first.right, last: last.left };
}"""


def test_a_name_is_cut_at_its_end(ada: Page, acme: Workspace) -> None:
    """Its beginning is seen whichever way it is read, and short names begin where all others do."""
    names = {"long": LONG, "short": "דוד", "latin": "Bartholomew Oyelaran-Fitzgerald-Montgomery the Third of Linz"}
    found = lists.create_list(acme, "עמיתים")
    leads.add(acme, found.id, [{"publicId": one, "firstName": name} for one, name in names.items()])
    ada.set_viewport_size({"width": 390, "height": 844})
    ada.goto(f"/lists/{found.id}")
    long, short, latin = (ada.locator(".nm", has_text=name).evaluate(PLACES) for name in names.values())
    assert long["left"] < long["first"] <= long["right"] + 1
    assert long["last"] < long["left"]
    assert abs(short["last"] - short["left"]) < 2
    assert short["left"] == latin["left"]
