"""The report as a reader uses it; every test also demands a silent console and no request that leaves the folder."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import STUDY, Watched

SAMPLES = "#/samples?run=0"


def column(page: Page, name: str) -> list[float]:
    cells = page.locator(f'#board tbody td[data-column="{name}"]')
    return [float(cell.get_attribute("data-value") or "nan") for cell in cells.all()]


def first_sample(page: Page) -> None:
    page.locator("#list tbody a").first.click()
    expect(page.locator("#trace article")).to_have_count(1)


def test_it_shows_every_run_every_plot_and_a_name_as_it_is(watched: Watched) -> None:
    page = watched.open()
    expect(page.locator("#board tbody tr")).to_have_count(4)
    expect(page.locator("header .title")).to_have_text(STUDY)
    for name in ("scatter", "budgets", "lengths"):
        plot = page.locator(f'[data-plot="{name}"]')
        plot.scroll_into_view_if_needed()
        expect(plot.locator(".main-svg").first).to_be_visible()
    expect(page.locator("#comparisons tbody tr")).to_have_count(3)
    expect(page.locator("#findings li").first).to_contain_text("accura")


def test_the_leaderboard_sorts_filters_and_hides_columns(watched: Watched) -> None:
    page = watched.open()
    page.get_by_role("button", name="output").click()
    found = column(page, "output_tokens")
    assert found == sorted(found, reverse=True)
    page.get_by_role("button", name="output").click()
    assert column(page, "output_tokens") == sorted(found)
    page.locator("#filter").fill("scripted 80")
    expect(page.locator("#board tbody tr:visible")).to_have_count(1)
    expect(page.locator("#shown")).to_have_text("1 of 4 runs")
    page.locator("#filter").fill("")
    page.locator("#leaderboard summary").click()
    page.locator('#columns input[value="words"]').check()
    expect(page.locator('#board th[data-column="words"]')).to_be_visible()


def test_a_number_leads_to_its_samples_and_these_to_their_texts(watched: Watched) -> None:
    page = watched.open()
    page.locator('.heat tbody td a[href*="task=mode"]').first.click()
    expect(page.locator("#list tbody tr")).to_have_count(6)
    page.locator('[data-filter="task"]').select_option("")
    expect(page.locator("#list tbody tr")).to_have_count(12)
    first_sample(page)
    expect(page.locator("#trace .question")).to_contain_text("What is the")
    expect(page.locator("#trace .facts")).to_contain_text("answer read")


def test_every_count_of_errors_and_patterns_leads_to_as_many_samples(watched: Watched) -> None:
    page = watched.open()
    links = [(link.get_attribute("href"), link.text_content()) for link in page.locator("#taxonomy td a").all()]
    assert links
    for address, count in links:
        page = watched.open(str(address))
        expect(page.locator("#list tbody tr")).to_have_count(int(str(count)))


def test_samples_are_chosen_by_the_size_of_their_problem(watched: Watched) -> None:
    page = watched.open("#/samples?run=0")
    sizes = page.locator('[data-filter="size"] option')
    assert sizes.all_text_contents()[0] == "all"
    total = page.locator("#list tbody tr").count()
    counts = []
    for size in sizes.all_text_contents()[1:]:
        page.locator('[data-filter="size"]').select_option(size)
        expect(page.locator("main .tools .count").last).not_to_have_text(f"{total} samples")
        counts.append(page.locator("#list tbody tr").count())
    assert len(counts) > 1
    assert 0 < sum(counts) <= total


def test_what_a_model_wrote_is_text_with_its_wrong_step_marked(watched: Watched) -> None:
    page = watched.open(SAMPLES)
    first_sample(page)
    expect(page.locator(".text.thinking")).to_contain_text("</script><script>document.title = 'owned'")
    expect(page.locator(".text.answer")).to_contain_text("<img src=x onerror=")
    expect(page.locator(".text mark.m-wrong").first).to_have_text("12 + 13 = 26")
    assert page.locator("main img, main script").count() == 0
    assert "owned" not in page.title()


def test_two_runs_stand_side_by_side_on_one_problem(watched: Watched) -> None:
    page = watched.open(SAMPLES)
    first_sample(page)
    page.locator('[data-filter="beside"]').select_option("2")
    expect(page.locator("#trace article")).to_have_count(2)
    left, right = page.locator("#trace article").all()
    assert left.bounding_box()["x"] < right.bounding_box()["x"]  # type: ignore[index]


def test_flipped_samples_are_those_that_one_run_alone_got_right(watched: Watched) -> None:
    page = watched.open("#/samples?run=0&beside=3&flipped=1")
    expect(page.locator("#list tbody tr")).not_to_have_count(0)
    for row in page.locator("#list tbody tr").all():
        outcomes = row.locator(".outcome").all_inner_texts()
        assert len(set(outcomes)) == 2
        assert "correct" in outcomes


def test_all_of_it_can_be_done_by_keyboard(watched: Watched) -> None:
    page = watched.open()
    page.get_by_role("button", name="thinking").focus()
    page.keyboard.press("Enter")
    expect(page.locator('#board th[data-column="thinking_tokens"]')).to_have_attribute("aria-sort", "descending")
    page.locator("#board tbody th a").first.focus()
    page.keyboard.press("Enter")
    page.locator("#list tbody a").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#trace .tools")).to_contain_text("1 of 12")
    page.keyboard.press("j")
    expect(page.locator("#trace .tools")).to_contain_text("2 of 12")
    page.keyboard.press("k")
    expect(page.locator("#trace .tools")).to_contain_text("1 of 12")
    page.keyboard.press("Escape")
    expect(page.locator("#list tbody tr")).to_have_count(12)


@pytest.mark.parametrize("watched", [{"color_scheme": "dark"}], indirect=True)
def test_a_dark_system_gets_a_dark_page(watched: Watched) -> None:
    page = watched.open()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 22, 25)"
    page.locator("#theme").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(253, 253, 252)"


@pytest.mark.parametrize("watched", [{"viewport": {"width": 390, "height": 844}}], indirect=True)
@pytest.mark.parametrize("address", ["", SAMPLES])
def test_a_phone_scrolls_in_one_direction(watched: Watched, address: str) -> None:
    page = watched.open(address)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    if address:
        first_sample(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_an_address_that_leads_nowhere_says_so(watched: Watched) -> None:
    page = watched.open("#/samples?run=99")
    expect(page.locator("#samples")).to_contain_text("there is no run 99")
