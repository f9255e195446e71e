# SPDX-License-Identifier: Apache-2.0
"""The page, as a person uses it in a browser."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from becausal.web.tokens import Tokens
from webclient import Served, serving

from .conftest import HOSTILE, LONG, RIGHT_TO_LEFT, STORE, STORIES, Opener, graphql, log_in

VIEWS = ("#/search", "#/ask", "#/timeline", "#/graph", "#/status", "#/new")


def heading(page: Page, name: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


# --- the door ---


def test_a_wrong_token_is_told_and_the_right_one_opens_the_memory(opened: Opener, told: str) -> None:
    page = opened(None)
    page.get_by_label("Access token").fill("becausal_wrong")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_have_text("This is no token of this service, or it was revoked.")
    log_in(page, told)
    heading(page, "Search")
    expect(page.locator(".user")).to_have_text("storyteller")
    expect(page.locator(".card")).to_have_count(4)
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_label("Access token")).to_be_visible()


def test_who_comes_by_an_address_within_the_page_is_there_after_the_login(opened: Opener, told: str) -> None:
    page = opened(None)
    page.goto(f"{page.url.rstrip('/')}/#/timeline")
    log_in(page, told)
    heading(page, "Timeline")


def test_an_address_that_is_no_address_is_a_memory_that_is_not_there(opened: Opener, told: str) -> None:
    heading(opened(told, "#/memory/%E0%A4%A"), "No such memory")


def test_a_login_that_was_ended_leads_back_to_the_door(opened: Opener, service: Served) -> None:
    token = service.token("guest")
    page = opened(token, "#/search")
    heading(page, "Search")
    found = Tokens(service.folder).find(token)
    assert found is not None
    Tokens(service.folder).revoke(found.id)
    page.get_by_role("link", name="Status").click()
    expect(page.get_by_label("Access token")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("Your login is over")


def test_a_service_that_went_away_is_told_in_every_view_and_when_it_is_back_one_can_go_on(
    browser: Browser, tmp_path: Path
) -> None:
    with browser.new_context() as context, serving(tmp_path) as first:
        page = context.new_page()
        page.goto(first.address)
        token = first.token("alice")
        log_in(page, token)
        expect(page.get_by_text("This memory is empty.")).to_be_visible()
        assert first.stop() == 0
        page.get_by_role("link", name="Timeline").click()
        heading(page, "Timeline")
        expect(page.get_by_role("alert")).to_have_text("The service cannot be reached. Is it still running?")
        page.get_by_role("link", name="Search", exact=True).click()
        heading(page, "Search")
        expect(page.get_by_role("alert")).to_have_text("The service cannot be reached. Is it still running?")
        page.get_by_role("link", name="Timeline").click()
        heading(page, "Timeline")
        with serving(tmp_path, POLYG_PORT=str(first.port)):
            page.get_by_role("button", name="Try again").click()
            expect(page.get_by_role("alert")).to_contain_text("Your login is over")
            log_in(page, token)


def test_one_users_token_shows_nothing_of_another(opened: Opener, service: Served, told: str) -> None:
    page = opened(service.token("stranger"), "#/search")
    expect(page.get_by_text("This memory is empty.")).to_be_visible()


# --- looking ---


def test_a_search_explains_its_results_and_opens_a_memory(opened: Opener, told: str) -> None:
    page = opened(told, "#/search")
    page.get_by_label("What to search for").fill("ledger overloaded")
    page.get_by_role("button", name="Search").click()
    first = page.locator(".card").first
    expect(first.locator("mark").first).to_have_text("ledger")
    first.locator("summary").click()
    expect(first.locator(".parts dt", has_text="words")).to_be_visible()
    expect(first.locator(".path")).to_contain_text("words: ")
    first.get_by_role("link", name="Open: ").click()
    expect(page.locator(".told.full")).to_contain_text("the ledger was overloaded")
    expect(page.get_by_role("heading", name="Read out of it")).to_be_visible()
    expect(page.locator(".causes .confidence")).to_have_text(["94 %"])
    expect(page.locator(".aside .chip", has_text="ledger").first).to_be_visible()
    expect(page.locator(".history li").last).to_contain_text("Told")


def test_filters_narrow_a_search_and_the_address_keeps_them(opened: Opener, told: str) -> None:
    page = opened(told, "#/search")
    page.get_by_text("Filters").click()
    page.get_by_label("Source").fill("purchases")
    page.get_by_role("button", name="Search").click()
    expect(page.locator(".card")).to_have_count(1)
    page.reload()
    expect(page.locator(".card")).to_have_count(1)
    expect(page.get_by_label("Source")).to_have_value("purchases")
    page.get_by_label("Since").fill("no time at all")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("alert")).to_contain_text("since: ")


def test_a_chain_of_causes_is_drawn_from_left_to_right_with_what_it_rests_on(opened: Opener, told: str) -> None:
    page = opened(told, "#/ask")
    page.get_by_label("Your question").fill("Why did card payments fail?")
    page.get_by_role("button", name="Ask", exact=True).click()
    events = page.locator(".chain .event")
    expect(events).to_have_count(4)
    expect(events.first).to_contain_text("The cooling of the data centre broke down")
    expect(events.last).to_contain_text("Card payments failed")
    boxes = [box for box in (event.bounding_box() for event in events.all()) if box is not None]
    assert [box["x"] for box in boxes] == sorted(box["x"] for box in boxes)
    assert len({round(box["y"]) for box in boxes}) == 1
    shares = page.locator(".led-sure").all_text_contents()
    assert len(shares) == 3
    assert all(share.endswith(" %") for share in shares)
    page.locator(".chain .cite").first.click()
    expect(page.locator(".source:focus")).to_contain_text("The cooling of the data centre broke down on Sunday")
    page.locator(".source").first.get_by_role("link", name="Open the memory").click()
    expect(page.locator(".told.full")).to_contain_text("The cooling")


@pytest.mark.parametrize("width", [1200, 800, 400])
def test_a_chain_is_whole_at_any_width_and_nothing_unrelated_stands_beside_it(
    opened: Opener, told: str, service: Served, width: int
) -> None:
    token = service.token(f"wide{width}")
    for content, at, source in (*STORIES, ("The team met on 3 March 2026 about the office party.", "2026-03-03", "x")):
        graphql(service, token, STORE, content=content, at=at, source=source)
    page = opened(token, "#/ask?q=Why+did+card+payments+fail%3F", viewport={"width": width, "height": 800})
    events = page.locator(".chain .event")
    expect(events).to_have_count(4)
    card = page.locator(".chain-box").bounding_box()
    assert card is not None
    for event in events.all():
        box = event.bounding_box()
        assert box is not None
        assert card["x"] <= box["x"]
        assert box["x"] + box["width"] <= card["x"] + card["width"]
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    expect(page.get_by_text("office party")).to_have_count(0)


def test_a_relation_that_holds_no_more_is_marked_as_past(opened: Opener, service: Served) -> None:
    token = service.token("mover")
    for content, at in (("Ilse lives in Berlin.", "2021-01-01"), ("Ilse moved to Lyon in May 2024.", "2024-05-20")):
        graphql(service, token, STORE, content=content, at=at, source="letters")
    page = opened(token, "#/graph?of=Ilse")
    ties = page.locator(".ties li")
    expect(ties.filter(has_text="lives in →").filter(has_text="Berlin")).to_contain_text("until 1 May 2024")
    expect(ties.filter(has_text="lives in →").filter(has_text="Lyon")).not_to_contain_text("until")
    expect(ties.filter(has_text="Ilse lives in Berlin").filter(has_text="involves")).to_contain_text("ended")


def test_what_nobody_told_is_declined_and_looks_so(opened: Opener, told: str) -> None:
    page = opened(told, "#/ask?q=Who+painted+the+Mona+Lisa%3F")
    expect(page.get_by_text("Not told")).to_be_visible()
    expect(page.locator(".chain")).to_have_count(0)


def test_the_time_line_goes_back_and_says_where_something_was_told(opened: Opener, told: str) -> None:
    page = opened(told, "#/timeline")
    entries = page.locator(".entry")
    expect(entries.first).to_contain_text("Priya ordered new fans")
    expect(page.get_by_role("heading", name="April 2026")).to_be_visible()
    event = page.locator(".entry.kind-event", has_text="The cooling of the data centre").first
    event.locator("summary").click()
    event.get_by_role("link", name="The cooling of the data centre").click()
    expect(page.locator(".told.full")).to_contain_text("we moved the backup to eight")
    page.go_back()
    page.get_by_label("Until").fill("2026-04-13")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text("Priya ordered new fans")).to_have_count(0)


def test_a_graph_is_drawn_filtered_listed_and_walked(opened: Opener, told: str) -> None:
    page = opened(told, "#/graph")
    page.get_by_label("A name, or what happened").fill("the ledger was overloaded")
    page.get_by_role("button", name="Causes").click()
    heading(page, "Causes and effects")
    expect(page.locator(".canvas[data-drawn='4']")).to_be_visible()
    expect(page.locator(".chosen")).to_contain_text("led to")
    page.locator(".ties button", has_text="Card payments failed").click()
    page.get_by_role("link", name="Put in the middle").click()
    heading(page, "Surroundings")
    canvas = page.locator(".canvas[data-drawn]")
    before = int(canvas.get_attribute("data-drawn") or "0")
    page.get_by_label("Memories").uncheck()
    expect(canvas).not_to_have_attribute("data-drawn", str(before))
    page.get_by_text("The same as a list").click()
    expect(page.locator(".as-list li")).to_have_count(before)
    page.locator(".as-list a", has_text="Card payments failed because").first.click()
    page.goto(f"{page.url.partition('#')[0]}#/graph?of=nobody+at+all")
    expect(page.get_by_text("Nothing has this name.")).to_be_visible()


def test_the_status_tells_what_there_is_and_what_is_wrong(opened: Opener, told: str) -> None:
    page = opened(told, "#/status")
    expect(page.locator(".tile", has_text="memories")).to_contain_text("4")
    expect(page.locator(".notice").first).to_contain_text("Worse than usual: ")
    expect(page.get_by_text("No place for copies is set.")).to_be_visible()


# --- changing ---


def test_a_memory_is_told_edited_pinned_forgotten_and_brought_back(opened: Opener, service: Served) -> None:
    page = opened(service.token("editor"), "#/new")
    page.get_by_role("textbox", name="Text", exact=True).fill("The ledger runs on PostgreSQL 14.")
    page.get_by_label("Tags").fill("ledger, database")
    page.get_by_role("button", name="Remember").click()
    expect(page.locator(".told.full")).to_have_text("The ledger runs on PostgreSQL 14.")
    expect(page.locator(".aside .chip", has_text="database").first).to_be_visible()

    page.get_by_role("link", name="Edit").click()
    page.get_by_role("textbox", name="Text", exact=True).fill("The ledger runs on PostgreSQL 15.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".told.full")).to_have_text("The ledger runs on PostgreSQL 15.")
    page.get_by_text("What it said before").click()
    expect(page.locator(".history .told")).to_have_text("The ledger runs on PostgreSQL 14.")

    page.get_by_role("button", name="Pin").click()
    expect(page.get_by_role("button", name="Unpin")).to_be_visible()

    page.get_by_role("button", name="Forget").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(page.locator(".told.full")).to_be_visible()
    page.get_by_role("button", name="Forget").click()
    page.get_by_role("dialog").get_by_role("button", name="Forget").click()
    heading(page, "A forgotten memory")
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(page.locator(".told.full")).to_have_text("The ledger runs on PostgreSQL 15.")

    page.locator(".history li", has_text="Changed").last.get_by_role("button", name="Undo").wait_for()
    page.get_by_role("link", name="Status").click()
    expect(page.get_by_role("heading", name="Can still be undone")).to_be_visible()
    undo = page.locator(".history li").first.get_by_role("button", name="Undo")
    undo.click()
    expect(page.locator(".toast").last).to_contain_text("Undone: ")


def test_saving_an_edit_sends_what_was_changed_and_leaves_what_others_changed_meanwhile(
    opened: Opener, service: Served
) -> None:
    token = service.token("two tabs")
    tell = """mutation { store(content: "The mill stands.", tags: ["a,b", "plain"], label: "lab") { id } }"""
    id = graphql(service, token, tell)["store"]["id"]
    early, late = (opened(token, f"#/edit/{id}") for _ in range(2))
    late.get_by_label("Label").fill("mill")
    late.get_by_role("button", name="Save").click()
    expect(late.locator(".told.full")).to_have_text("The mill stands.")
    early.get_by_role("textbox", name="Text", exact=True).fill("The mill stands still.")
    early.get_by_role("button", name="Save").click()
    expect(early.locator(".told.full")).to_have_text("The mill stands still.")
    heading(early, "mill")
    asked = graphql(service, token, "query ($id: ID!) { engram(id: $id) { tags } }", id=id)
    assert asked["engram"]["tags"] == ["a,b", "plain"]


def test_an_offer_to_undo_goes_when_something_else_was_done(opened: Opener, service: Served) -> None:
    token = service.token("undoer")
    id = graphql(service, token, STORE, content="The mill stands.")["store"]["id"]
    page = opened(token, f"#/memory/{id}")
    page.get_by_role("button", name="Forget").click()
    page.get_by_role("dialog").get_by_role("button", name="Forget").click()
    page.get_by_role("button", name="Bring it back").click()
    expect(page.locator(".told.full")).to_have_text("The mill stands.")
    expect(page.locator(".toast").get_by_role("button", name="Undo")).to_have_count(0)


def test_what_is_refused_is_said_beside_the_form(opened: Opener, service: Served) -> None:
    page = opened(service.token("editor"), "#/new")
    page.get_by_role("textbox", name="Text", exact=True).fill("Something happened.")
    page.get_by_label("When it happened").fill("blue")
    page.get_by_role("button", name="Remember").click()
    expect(page.get_by_role("alert")).to_contain_text("occurred_at: ")
    expect(page.get_by_role("textbox", name="Text", exact=True)).to_have_value("Something happened.")


# --- what is stored is text, and nothing but text ---


def test_stored_text_is_shown_as_text_and_nothing_of_it_is_run_or_fetched(opened: Opener, service: Served) -> None:
    token = service.token("hostile")
    ids = {
        name: graphql(service, token, STORE, content=content, source="<i>source</i>")["store"]["id"]
        for name, content in {"markup": HOSTILE, "arabic": RIGHT_TO_LEFT, "long": LONG}.items()
    }
    tag = 'mutation ($id: ID!) { update(id: $id, tags: ["<script>window.ran = 5</script>"], label: "<b>x</b>") { id } }'
    graphql(service, token, tag, id=ids["markup"])
    page = opened(token, "#/search")
    expect(page.locator(".card")).to_have_count(3)
    address = page.url.partition("#")[0]
    page.goto(f"{address}#/memory/{ids['markup']}")
    heading(page, "<b>x</b>")
    expect(page.locator(".told.full")).to_have_text(HOSTILE)
    assert page.locator("main :is(script, img, svg[onload], .told b, h1 b)").count() == 0
    for view in (
        f"#/edit/{ids['markup']}",
        "#/search?q=look+pixel",
        "#/ask?q=What+is+the+pixel%3F",
        "#/timeline",
        f"#/graph?of={ids['markup']}",
        "#/status",
    ):
        page.goto(f"{address}{view}")
        page.locator("main h1").wait_for()
        page.wait_for_load_state("networkidle")
    assert page.evaluate("window.ran") is None

    page.goto(f"{address}#/memory/{ids['arabic']}")
    expect(page.locator(".told.full")).to_have_text(RIGHT_TO_LEFT)
    assert page.locator(".told.full").evaluate("each => getComputedStyle(each).direction") == "rtl"

    page.goto(f"{address}#/edit/{ids['arabic']}")
    expect(page.get_by_role("textbox", name="Text", exact=True)).to_have_attribute("dir", "rtl")

    page.goto(f"{address}#/memory/{ids['long']}")
    whole = page.get_by_role("button", name=f"Show all {len(LONG):,} characters")
    expect(whole).to_be_visible()
    assert len(page.locator(".told.full").text_content() or "") < 21_000
    whole.click()
    expect(page.locator(".text .row")).to_have_count(0)
    assert page.locator(".told.full").text_content() == LONG
    page.goto(f"{address}#/edit/{ids['long']}")
    heading(page, "Edit")
    assert page.get_by_role("textbox", name="Text", exact=True).input_value() == LONG


# --- for everybody ---


def test_the_page_is_used_with_the_keyboard_alone(opened: Opener, told: str) -> None:
    page = opened(None)
    page.keyboard.type(told)
    page.keyboard.press("Enter")
    page.get_by_role("navigation", name="Views").wait_for()
    expect(page.get_by_label("What to search for")).to_be_focused()
    page.keyboard.type("new fans")
    page.keyboard.press("Enter")
    expect(page.locator(".sureness, .how").first).to_be_visible()
    first = page.locator(".card-link").first
    for _ in range(12):
        if first.evaluate("each => each === document.activeElement"):
            break
        page.keyboard.press("Tab")
    expect(first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".told.full")).to_be_visible()
    page.keyboard.press("/")
    expect(page.get_by_label("What to search for")).to_be_focused()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 1200), ("light", 360), ("dark", 320)], ids=str)
@pytest.mark.parametrize("who", ["told", "nobody"])
def test_every_view_fits_in_both_colours_and_on_a_small_screen_with_and_without_memories(
    opened: Opener, service: Served, told: str, scheme: str, width: int, who: str
) -> None:
    token = told if who == "told" else service.token(f"nobody-{scheme}-{width}")
    page = opened(token, color_scheme=scheme, viewport={"width": width, "height": 740})
    address = page.url.partition("#")[0]
    views = (*VIEWS, "#/ask?q=Why+did+card+payments+fail%3F", "#/search?q=ledger", "#/graph?of=Priya")
    for view in views:
        page.goto(f"{address}{view}")
        page.locator("main h1").wait_for()
        page.wait_for_load_state("networkidle")
        wide = page.evaluate("document.scrollingElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, view
    dark = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert dark == {"light": "rgb(248, 246, 241)", "dark": "rgb(18, 22, 20)"}[scheme]


def test_the_colours_can_be_chosen_and_stay_chosen(opened: Opener, told: str) -> None:
    page = opened(told, "#/search", color_scheme="light")
    page.get_by_role("button", name="Colours: as the system").click()
    page.get_by_role("button", name="Colours: light").click()
    expect(page.get_by_role("button", name="Colours: dark")).to_be_visible()
    page.reload()
    expect(page.get_by_role("button", name="Colours: dark")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(18, 22, 20)"
