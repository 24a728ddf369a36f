"""Settings of a CRM: which side wins for each field, in each direction, and whom it is told of."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

from app.core import text
from app.core.errors import InvalidRequest
from app.ports import Crm
from app.ports.crm import FIELDS

# In: the CRM's value replaces ours (never one typed here by hand), or fills what is empty. Out: the same the other way.
In = Literal["crm", "fill", "off"]
Out = Literal["ours", "fill", "off"]
Create = Literal["no", "reply", "all"]
FACTS = ("stage", "owner")  # they come in as custom fields, and never go out
MOST_STAGES, LONGEST_STAGE = 50, 100


class FieldRule(NamedTuple):
    """What happens to one field, in each direction."""

    incoming: str
    outgoing: str


class CrmSettings(NamedTuple):
    """The settings as they hold. `stop_statuses` are lead statuses whose contacts are not to be contacted."""

    fields: Mapping[str, FieldRule]
    create: str
    activities: bool
    customer_stages: tuple[str, ...]
    stop_statuses: tuple[str, ...]


def of(kept: Mapping[str, Any], adapter: Crm) -> CrmSettings:
    """Return the settings: what is kept, and the usual for the rest."""
    chosen = kept.get("fields", {})
    rules = {name: FieldRule(**{**_usual(name), **chosen.get(name, {})}) for name in names_of(adapter)}
    return CrmSettings(
        rules,
        kept.get("create", "reply"),
        kept.get("activities", True),
        tuple(kept.get("customer_stages", adapter.customer_stages)),
        tuple(kept.get("stop_statuses", ())),
    )


def names_of(adapter: Crm) -> tuple[str, ...]:
    """Return the fields that the CRM has, in their order."""
    return (*(name for name in FIELDS if name in adapter.fields), *FACTS)


def _usual(name: str) -> dict[str, str]:
    return {"incoming": "crm", "outgoing": "off" if name in FACTS else "fill"}


def changed(kept: Mapping[str, Any], given: Mapping[str, Any], adapter: Crm) -> dict[str, Any]:
    """Return what to keep after a change; raise InvalidRequest with all problems."""
    problems: list[tuple[str, str]] = []
    chosen = {**kept.get("fields", {})}
    for name, rule in (given.get("fields") or {}).items():
        path = f"fields.{name}"
        if name not in names_of(adapter):
            problems.append((path, "This CRM has no such field."))
            continue
        whole = FieldRule(**{**_usual(name), **chosen.get(name, {}), **rule})
        if sentence := _rule_problem(name, whole, adapter):
            problems.append((path, sentence))
        chosen[name] = whole._asdict()
    result = {**kept, "fields": chosen}
    for name in ("create", "activities"):
        if given.get(name) is not None:
            result[name] = given[name]
    if result.get("create", "reply") not in get_args(Create):
        problems.append(("create", "Use no, reply or all."))
    for name, path in (("customer_stages", "customerStages"), ("stop_statuses", "stopStatuses")):
        if given.get(name) is not None:
            result[name], sentence = _stages(given[name])
            problems += [(path, sentence)] if sentence else []
    InvalidRequest.raise_for(problems)
    return result


def _rule_problem(name: str, rule: FieldRule, adapter: Crm) -> str:
    if rule.incoming not in get_args(In):
        return "Set `incoming` to crm, fill or off."
    if rule.outgoing not in get_args(Out):
        return "Set `outgoing` to ours, fill or off."
    if name in FACTS and rule.outgoing != "off":
        return "This field can only be read from the CRM."
    if rule.incoming == "crm" and rule.outgoing == "ours":
        return "Only one direction can overwrite values. Set the other to fill empty fields only."
    if rule.outgoing == "ours" and not adapter.tells_typed:
        return f"{adapter.service.title} doesn't mark values entered by hand, so we can only fill empty fields."
    return ""


def _stages(given: Sequence[str]) -> tuple[list[str], str]:
    stages = list(dict.fromkeys(filter(None, (text.squeeze(one) for one in given))))
    if len(stages) > MOST_STAGES or any(len(one) > LONGEST_STAGE or not text.is_text(one) for one in stages):
        return [], f"Use at most {MOST_STAGES} names of up to {LONGEST_STAGE} characters."
    return stages, ""
