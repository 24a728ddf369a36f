"""What was asked before a contact, and what was seen, in words: the questions of `contact_rules` in their order."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from app.domain.rules.contact_rules import BY_HAND, Answer, Caps, ContactRules


class Line(NamedTuple):
    """One question that was asked, and the answer at that moment."""

    code: str
    question: str
    answer: str  # "No", or what was seen
    hit: bool  # the answer keeps the person from being contacted
    set_aside: bool  # an owner allowed the contact nevertheless


def lines(asked: Mapping[str, Any], at: datetime) -> list[Line]:
    """Return every question that was asked at that moment; rules that were off were not asked."""
    by_hand = "by_hand" in asked["rules"]  # a manual message: no campaign rules or caps were checked
    rules = ContactRules()._asdict() | Caps()._asdict() if by_hand else asked["rules"]
    saw, let_in = asked["saw"], asked.get("let_in", ())
    questions = [*_of_them(rules, saw, at), *_capped(rules, saw, at, asked.get("first", True))]
    if asked.get("first", True):
        place = next(number for number, one in enumerate(questions) if one.code == "opt_out_question")
        questions[place:place] = _of_the_first(rules, saw, at)
    return [
        Line(one.code, one.text, one.answer, bool(one.hit), one.code in let_in)
        for one in questions
        if one.is_asked and (not by_hand or one.code in BY_HAND)
    ]


class _Question(NamedTuple):
    is_asked: Any
    code: str
    text: str
    hit: Any
    seen: str

    @property
    def answer(self) -> str:
        if not self.hit:
            return "No"
        return f"Yes: {self.seen}" if self.seen else "Yes"


def _of_them(rules: Mapping[str, Any], saw: Mapping[str, Any], at: datetime) -> list[_Question]:
    """Return the lines of the checks before every contact."""
    back, replied = saw.get("come_back_at", ""), saw.get("replied_at")
    never, colleague, busy, held = (saw.get(name, "") for name in ("never", "colleague", "busy_in", "held"))
    customer, deal, asks_crm = saw.get("customer", ""), saw.get("open_deal", ""), rules.get("customers")
    no = saw.get("answer") == Answer.NEGATIVE
    later = back and _moment(back) > at
    talks = "In conversation with another sender?"
    return [
        _Question(True, "never_contact", "On the do-not-contact list?", never, never),
        _Question(rules["said_no"], "said_no", "Said no?", no, _day(replied)),
        _Question(rules["said_no"], "asked_to_wait", "Asked to be contacted later?", later, _day(back)),
        _Question(rules["replied"], "replied_before", "Ever replied?", replied, _day(replied)),
        _Question(rules["colleague_talks"], "other_conversation", talks, colleague, colleague),
        _Question(True, "active_elsewhere", "Active in another campaign?", busy, busy),
        _Question(asks_crm, "customer", "A customer in your CRM?", customer, customer),
        _Question(asks_crm, "open_deal", "An open deal in your CRM?", deal, deal),
        _Question(True, "opt_out_question", "Possibly opted out?", saw.get("opt_out"), saw.get("opt_out", "")),
        _Question(True, "company_held", "Company on hold after a reply?", held, held),
    ]


def _of_the_first(rules: Mapping[str, Any], saw: Mapping[str, Any], at: datetime) -> list[_Question]:
    """Return the lines of the checks before a campaign's first contact only."""
    contacted, company = saw.get("contacted_at"), saw.get("company_contacted_at")
    days, company_days = rules["contacted_days"], rules["company_days"]
    listed, enrolled, tagged = (saw.get(name, "") for name in ("listed", "enrolled", "tagged"))
    lately = f"Contacted by another campaign or by hand in the last {days} days?"
    others = f"Someone else at the company contacted in the last {company_days} days?"
    in_list, in_campaign = "On a list that this campaign leaves out?", "In a campaign that this one leaves out?"
    return [
        _Question(days, "contacted_lately", lately, _within(contacted, days, at), _day(contacted)),
        _Question(rules["list_ids"], "in_excluded_list", in_list, listed, listed),
        _Question(rules["campaign_ids"], "in_excluded_campaign", in_campaign, enrolled, enrolled),
        _Question(rules["tags"], "has_excluded_tag", "Has a tag that this campaign leaves out?", tagged, tagged),
        _Question(company_days, "company_contacted", others, _within(company, company_days, at), _day(company)),
    ]


def _capped(rules: Mapping[str, Any], saw: Mapping[str, Any], at: datetime, first: bool) -> list[_Question]:
    """Return the lines of the contact caps."""
    day, window, others = _counted(saw, at, 1), _counted(saw, at, rules["days"]), saw.get("company_people", 0)
    per_day, touches, people = rules["per_day"], rules["touches"], rules["company_people"]
    today = f"Contacted {_times(per_day)} in the previous 24 hours?"
    lately = f"Contacted {_times(touches)} in the previous {rules['days']} days?"
    full = f"Are {people} others at the same company being contacted?"
    return [
        _Question(per_day, "touch_cap_day", today, day >= per_day, _times(day)),
        _Question(touches, "touch_cap", lately, window >= touches, _times(window)),
        _Question(first and people, "company_full", full, others >= people, str(others)),
    ]


def _moment(written: str) -> datetime:
    return datetime.fromisoformat(written)


def _day(written: str | None) -> str:
    return _moment(written).date().isoformat() if written else ""


def _within(written: str | None, days: int, at: datetime) -> bool:
    return bool(written) and days > 0 and _moment(str(written)) > at - timedelta(days=days)


def _counted(saw: Mapping[str, Any], at: datetime, days: int) -> int:
    return sum(_moment(touch) > at - timedelta(days=days) for touch in saw.get("touches", ()))


def _times(number: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(number, f"{number} times")
