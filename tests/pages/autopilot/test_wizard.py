"""The wizard: eight steps, each answer kept, each refusal a sentence beside what was typed."""

from flask import Flask
from selectolax.parser import HTMLParser

from app import ports
from app.core.db import end_read, session, transaction
from app.domain.autopilot import plays, setup
from app.domain.autopilot.profile_corrections import ASK_TOPIC
from app.domain.platform import jobs
from app.models.workspaces import Workspace
from app.pages.autopilot.wizard import SAMPLE
from tests.domain.autopilot.writers import Pages
from tests.pages.conftest import Web, must_have
from tests.support.mailed import house_mail
from tests.support.movable import Movable
from tests.support.receivers import Receiver, receiver

__all__ = ["receiver"]
WORDS = {"description": SAMPLE}


def work() -> None:
    """Everything that runs in the background is done."""
    end_read()
    while jobs.run_due():
        pass


def understood(web: Web) -> None:
    """The sample business is described and understood."""

    assert web.post("/autopilot/business", WORDS).status_code == 303
    work()


def aimed(web: Web, acme: Workspace) -> None:
    """A customer type is chosen and whom to reach is worked out."""
    understood(web)

    chosen = setup.view(acme).setup.customer_types[0]["id"]
    assert web.post("/autopilot/customers", customerTypeId=chosen).headers["Location"] == "/autopilot/targeting"
    work()


def designed(web: Web, acme: Workspace) -> None:
    """The plays are there and built."""
    aimed(web, acme)

    web.post("/autopilot/targeting", _form(acme), do="next")
    answer = web.post("/autopilot/reach", channel="social_email", country="Germany", offer="call")
    assert answer.headers["Location"] == "/autopilot/plays"
    work()


def _form(acme: Workspace) -> dict[str, object]:
    """The targeting form as the page sends it back untouched."""
    targets = setup.view(acme).setup.targets or {}
    form: dict[str, object] = {"summary": targets["summary"], "better": targets["evenBetter"]}
    for row in targets["rows"]:
        form[f"all.{row['key']}"] = [chip["label"] for chip in row["chips"]]
        form[row["key"]] = [chip["label"] for chip in row["chips"] if chip["on"]]
    return form


def test_sources_and_alerts_are_kept_their_secrets_hidden_and_their_steps_ticked(
    web: Web, acme: Workspace, app: Flask, receiver: Receiver
) -> None:
    """An approved play opens all steps; the optional ones have no tick for that."""
    designed(web, acme)
    web.post(f"/plays/{plays.every(acme)[0].id}/approve")
    seen = [ticked(web, "/autopilot/sources", step) for step in ("Plays", "Notifications")]
    assert seen == [True, False]
    web.post("/autopilot/sources")
    assert ticked(web, "/autopilot/alerts", "Data sources")
    must_have(web.get("/autopilot/alerts"), "This server sends no email.", without='value="email"')
    assert web.post("/autopilot/alerts", {"kind": "chat", "target.chat": ""}).status_code == 303
    with house_mail():
        must_have(web.get("/autopilot/alerts"), 'value="email"', without="This server sends no email.")
        assert web.post("/autopilot/alerts", {"kind": "chat", "target.chat": ""}).status_code == 422
    assert ticked(web, "/autopilot/launch", "Notifications")
    refused = web.post("/autopilot/sources/analytics", apiKey="phx_invalid_secret", region="eu", projectId="")
    must_have(refused, 422, without="phx_invalid_secret")
    assert web.post("/autopilot/sources/payments", restrictedKey="rk_test_1").status_code == 303
    must_have(web.get("/autopilot/sources"), "former customers", without="rk_test_1")
    assert web.post("/autopilot/sources/payments/disconnect").status_code == 303
    assert "Connect Stripe" in web.get("/autopilot/sources").text
    secret = "https://hooks.slack.com/services/T0/B0/secret-part"
    web.post("/autopilot/alerts", {"kind": "chat", "target.chat": secret})
    page = web.get("/autopilot/alerts").text
    assert "secret-part" not in page
    shown = (setup.view(acme).setup.alerts or {})["target"]
    web.post("/autopilot/alerts", {"kind": "chat", "target.chat": shown, "replies": "1"})
    found = setup.view(acme).setup
    assert found.alerts == {"kind": "chat", "target": shown, "replies": True}
    assert found.alerts_sealed
    form = {"kind": "chat", "target.chat": receiver.url, "digest": "daily", "quietHours.start": "22:00"}
    refused = web.post("/autopilot/alerts", form)
    must_have(refused, 422, "Enter a time such as 22:00 for both start and end, or for neither.")
    form |= {"quietHours.end": "07:30", "do": "test"}
    receiver.answer = lambda request: 404
    assert web.post("/autopilot/alerts", form).status_code == 303
    page = web.get("/autopilot/alerts").text
    must_have(
        page, 'value="daily" selected', 'value="07:30"', "Notifications are not being delivered.", "know this address ("
    )
    receiver.answer = lambda request: 200
    web.post("/autopilot/alerts", form | {"target.chat": ""})
    must_have(
        web.get("/autopilot/alerts"), "received the notification", without="Notifications are not being delivered."
    )


def ticked(web: Web, path: str, title: str) -> bool:
    """Whether the rail says that the step is done."""
    (step,) = [one for one in HTMLParser(web.get(path).text).css(".stepper li") if title in one.text()]
    return "done" in (step.attributes["class"] or "")


def test_a_sentence_of_the_description_names_no_page(web: Web, acme: Workspace) -> None:
    """Its owner knows where it comes from, and a website that could not be read is no source."""
    ports.site_reader.connect(Pages(failure=ports.ProviderError("The host name does not exist.")))
    web.post("/autopilot/business", website="kilnworks.example")
    work()
    web.post("/autopilot/business", WORDS)
    work()
    page = web.get("/autopilot/business")
    must_have(page, "We make ticketing software", without=("from your description", "kilnworks.example/"))


def test_what_is_missing_is_said_and_what_was_typed_stays(web: Web) -> None:
    answer = web.post("/autopilot/business", website="not a website")
    must_have(answer, 422, 'value="not a website"', "Enter a website address")
    assert web.post("/autopilot/business", website="").status_code == 422


def test_progress_is_shown_until_there_is_nothing_more_to_wait_for(web: Web, acme: Workspace) -> None:
    for slug in ("customers", "targeting", "reach", "plays", "sources", "alerts", "launch", "launched"):
        assert web.get(f"/autopilot/{slug}").status_code == 303, slug
    web.post("/autopilot/business", WORDS)
    must_have(web.get("/autopilot/business", htmx=True), 'hx-trigger="every 1s"', "Reading your description")
    work()
    must_have(web.get("/autopilot/business", htmx=True), "This is right", without=("every 1s", "<html"))
    assert web.get("/autopilot/customers").status_code == 200
    assert web.get("/autopilot/reach").status_code == 303
    assert web.post("/autopilot/customers", customerTypeId="nobody").status_code == 422


def test_the_profile_can_be_corrected(web: Web, acme: Workspace) -> None:
    understood(web)
    path = "/autopilot/business/profile"
    must_have(
        web.post(path, candidate="own", pitch=" ", topic="bath toys"), 422, "Finish this sentence", 'value="bath toys"'
    )
    known = {"candidate": "own", "pitch": "we make rubber ducks", "topic": "bath toys", "examples": "Acme, Beta"}
    must_have(web.post(path, known | {"do": "preview"}), 200, "We make rubber ducks.", "a question about bath toys")
    assert (setup.view(acme).setup.profile or {})["confirmed"] is False
    assert web.post(path, known).status_code == 303
    found = setup.view(acme).setup
    assert found.profile is not None
    assert (found.profile["pitch"], found.profile["confirmed"]) == ("We make rubber ducks.", True)
    assert found.profile["examples"] == ["Acme", "Beta"]


def test_a_sentence_brings_its_topic_and_fills_the_box_for_own_words_unless_typed(web: Web, acme: Workspace) -> None:
    understood(web)
    (first, *_) = (setup.view(acme).setup.profile or {})["candidates"]
    shown = web.post("/autopilot/business/messages", {"candidate": "0", "pitch": "", "topic": ""}, htmx=True)
    must_have(shown, 200, f"{first['pitch']}</textarea>", f'value="{first["topic"]}"', 'hx-swap-oob="true"')
    must_have(web.get("/autopilot/business"), f"{first['pitch']}</textarea>")
    ours = {"candidate": "0", "pitch": "We help shops.", "topic": "ticket costs"}
    kept = web.post("/autopilot/business/messages", ours, htmx=True)
    must_have(kept, 200, "ticket costs", without=('id="topic"', 'id="pitch"'))
    typed = {"candidate": "own", "pitch": "We repair forklifts.", "topic": first["topic"], "guessed": first["topic"]}
    shown = web.post("/autopilot/business/messages", typed | {"language": "en"}, htmx=True)
    must_have(shown, 200, "a question about forklift repairs", 'hx-swap-oob="true"')
    other = typed | {"pitch": "We print tickets for shops.", "language": "en"}
    shown = web.post("/autopilot/business/messages", other, htmx=True)
    must_have(shown, 200, "a question about tickets", 'hx-swap-oob="true"')  # software is in it no more
    weaker = typed | {"pitch": "We answer tickets twice a day.", "language": "en"}
    shown = web.post("/autopilot/business/messages", weaker, htmx=True)
    must_have(shown, 200, f"a question about {first['topic']}", "twice a day.", without='id="topic"')
    assert (setup.view(acme).setup.profile or {})["confirmed"] is False


def test_the_offer_of_a_model_goes_and_what_was_typed_stays(web: Web, acme: Workspace) -> None:
    must_have(web.get("/autopilot/business?how=describe"), 'hx-target="#model-offer"')
    assert web.post("/autopilot/model/dismiss", {}, htmx=True).text == ""
    assert setup.view(acme).setup.model_dismissed
    assert web.post("/autopilot/model/dismiss").status_code == 303, "without JavaScript"


def test_a_missing_topic_is_asked_for_at_once_and_the_last_messages_stay(web: Web, acme: Workspace) -> None:
    understood(web)
    path, typed = "/autopilot/business/messages", {"candidate": "own", "pitch": "We repair forklifts.", "guessed": "x"}
    must_have(web.post(path, typed | {"topic": ""}, htmx=True), 200, ASK_TOPIC, without=("appear here", "letter"))
    empty = web.post(path, typed | {"pitch": "", "topic": "forklifts"}, htmx=True)
    must_have(empty, 200, without=(ASK_TOPIC, "appear here", "letter"))
    must_have(web.get("/autopilot/business"), 'swapEmpty:false"', "letter", without=ASK_TOPIC)
    ours = typed | {"pitch": "We repair forklifts for warehouses and ports.", "topic": "forklifts"}
    for language, asked in (("de", True), ("en", False)):  # half of a message would be in another language
        shown = web.post(path, ours | {"language": language}, htmx=True)
        assert ("Write your sentence in German" in shown.text) is asked


def test_customers_are_asked_for_where_nothing_says_who_buys(web: Web) -> None:
    web.post("/autopilot/business", description="We do all kinds of things for nice people and we do them well.")
    work()
    said = {"candidate": "own", "pitch": "We do all kinds of things.", "topic": "things"}
    web.post("/autopilot/business/profile", said)
    must_have(web.get("/autopilot/customers"), "Who buys from you?", "Name two good customers")
    web.post("/autopilot/business/profile", said | {"examples": "Hotel Post, Hotel Krone"})
    must_have(web.get("/autopilot/customers"), "Hotel Post", without="Who buys from you?")
    web.post("/autopilot/business", description="We do odd jobs for hotels, and we do them well.")
    work()
    web.post("/autopilot/business/profile", said | {"pitch": "We do odd jobs for hotels.", "examples": ""})
    must_have(web.get("/autopilot/customers"), "managers of hotels", without="these are guesses")


def test_a_stage_can_be_stopped(web: Web, acme: Workspace) -> None:
    web.post("/autopilot/business", WORDS)
    assert web.post("/autopilot/stop").status_code == 303
    work()
    found = setup.view(acme).setup
    assert found.phase == ""
    assert found.profile is None
    assert "Stopped." in web.get("/autopilot/business").text


def test_a_website_is_read_before_ones_eyes_until_another_is_wanted(web: Web, acme: Workspace, clock: Movable) -> None:
    shown: list[str] = []

    def look() -> None:
        clock.forward(seconds=61)
        shown.append(web.get("/autopilot/business", htmx=True).text)
        if len(shown) == 2:
            answer = web.post("/autopilot/stop", website="tidemark.example")
            shown.append(web.get(answer.headers["Location"]).text)

    ports.site_reader.connect(Pages(look=look))
    web.post("/autopilot/business", website="tidemark.example")
    assert "0 s so far" in web.get("/autopilot/business").text
    work()
    first, second, after = shown
    assert "Pages read: 0, 1 min 1 s so far" in first
    assert "Pages read: 1, 2 min 2 s so far" in second
    assert "Use a different website" in second
    assert 'value="tidemark.example"' in after
    assert 'hx-trigger="every' not in after
    assert "We couldn" not in after
    assert setup.view(acme).setup.profile is None


def test_the_targeting_is_changed_and_an_offer_in_words_needs_words(web: Web, acme: Workspace) -> None:
    aimed(web, acme)
    better = (setup.view(acme).setup.targets or {})["evenBetter"]
    web.post("/autopilot/targeting", _form(acme), do="better:0")
    targets = setup.view(acme).setup.targets or {}
    assert better[0] in targets["summary"]
    assert targets["evenBetter"] == better[1:]
    form = _form(acme)
    rows = (setup.view(acme).setup.targets or {})["rows"]
    off = next(chip["label"] for chip in rows[0]["chips"] if chip["on"])
    form["titles"] = [one for one in form["titles"] if one != off]  # type: ignore[attr-defined]
    form["add.location"] = "Norway, Sweden"
    assert web.post("/autopilot/targeting", form, htmx=True).status_code == 200
    targets = {row["key"]: row["chips"] for row in (setup.view(acme).setup.targets or {})["rows"]}
    assert {"label": off, "on": False} in targets["titles"]
    assert [chip for chip in targets["location"] if chip["on"]][-2:] == [
        {"label": "Norway", "on": True},
        {"label": "Sweden", "on": True},
    ]
    web.post("/autopilot/targeting", _form(acme), do="next")
    answer = web.post("/autopilot/reach", channel="social", country="Narnia", offer="other", offerText="")
    must_have(answer, 422, "Describe your offer.", "Unknown country “Narnia”.")
    form = _form(acme)
    form["titles"], form["all.titles"], form["add.titles"] = [], [], "Xylophone tuner of the court"
    must_have(web.post("/autopilot/targeting", form, htmx=True), "No one matches all filters. Without", "titles")
    with transaction():
        session().get_one(Workspace, acme.id).sandbox = False
    page = web.get("/autopilot/targeting")
    must_have(page, "No people search is connected, so we can't find or count", without=("match", "sample companies"))
