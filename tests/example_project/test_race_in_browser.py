"""The race in a real browser, served by Django and by Flask."""

import re
from collections.abc import Iterator

import pytest

from flights import dataset
from tests.example_project.race_page import SERVERS, browser, manage, missing, served

REASON = missing()
if REASON:
    pytest.skip(REASON, allow_module_level=True)  # it says what is missing

from selenium.webdriver import Chrome, Keys  # noqa: E402  # is it there?
from selenium.webdriver.common.by import By  # noqa: E402  # the same
from selenium.webdriver.support.wait import WebDriverWait  # noqa: E402  # the same

pytestmark = pytest.mark.browser

FLIGHTS, OF_UNITED = 30, 8
"""How many flights there are, and how many of them the page has."""
TURNS = 3
"""How many requests each lane gets here: enough for what is tested."""
NONE = "\N{EN DASH}"
PARTS = ["database", "instances", "serialization", "waiting", "transfer", "firstByte", "whole"]
NOTED_LANES = """
window.asked = [];
const { fetch } = window;
window.fetch = (url, how) => { asked.push(how.headers["Race-Lane"]); return fetch(url, how); };
"""
HELD_REQUESTS = """
window.works = window.fetch;
window.fetch = async (...rest) => {
  await new Promise((resolve) => { window.release = resolve; });
  return works(...rest);
};
"""
CHANGED_BODY = """
const { fetch } = window;
window.fetch = async (url, ...rest) => {
  const response = await fetch(url, ...rest);
  const text = await response.text();
  return new Response(
    rest[0].headers["Race-Lane"] === "stock" ? text : text.replace("UA", "ua"),
    { headers: response.headers },
  );
};
"""


@pytest.fixture(scope="module")
def page() -> Iterator[Chrome]:
    """A browser."""
    with browser(960, 900) as driver:
        yield driver


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The URLs of databases with flights, without any, and without tables."""
    try:
        dataset.find_folder()
    except dataset.DataSetError as error:
        pytest.skip(str(error))  # it says that the data set is not installed
    folder = tmp_path_factory.mktemp("race")
    urls = {
        name: f"sqlite:///{folder}/{name}.sqlite3" for name in ("flights", "empty", "no tables")
    }
    for name in ("flights", "empty"):
        manage(urls[name], "migrate")
    manage(urls["flights"], "load_flights", "--rows", str(FLIGHTS))
    return urls


@pytest.fixture(scope="module", params=SERVERS)
def address(request, databases, tmp_path_factory) -> Iterator[str]:
    """The race with flights, by each framework."""
    log = tmp_path_factory.mktemp(request.param) / "log"
    with served(request.param, databases["flights"], log) as address:
        yield address


@pytest.fixture
def race(page: Chrome, address: str) -> Chrome:
    """The page of the race, as before the first race, with a few requests for each lane."""
    page.get(address)
    page.execute_script("sessionStorage.clear()")
    page.get(address)
    page.execute_script(f"for (const rows in TURNS) TURNS[rows] = {TURNS}")
    page.get_log("browser")
    return page


def text_of(page: Chrome, name: str) -> str:
    """Return the text of the element with an id."""
    return page.find_element(By.ID, name).text


def runs(page: Chrome) -> list[list[str]]:
    """Return the cells of the table of the last runs."""
    rows = page.find_elements(By.CSS_SELECTOR, "#history tbody tr")
    return [[cell.text for cell in row.find_elements(By.TAG_NAME, "td")] for row in rows]


def start(page: Chrome, rows: int = 20) -> None:
    """Choose a request, press the button, and wait for the end of the race."""
    page.find_element(By.CSS_SELECTOR, f"[name=endpoint][data-rows='{rows}']").click()
    press(page)
    wait(page)


def press(page: Chrome) -> None:
    """Press the button."""
    page.find_element(By.TAG_NAME, "button").click()


def wait(page: Chrome) -> None:
    """Wait for the end of a race that has started."""
    WebDriverWait(page, 30).until(
        lambda page: not page.find_elements(By.CSS_SELECTOR, "[aria-busy]")
    )


def test_a_race_compares_the_bodies_and_says_who_is_faster(race):
    start(race)
    status = text_of(race, "status")
    assert re.fullmatch(
        r"fastschema is [\d.]+ times as fast: [\d.,]+ ms instead of [\d.,]+ ms, "
        rf"for the same [\d,]+ bytes. The database has only {OF_UNITED} such flights.",
        status,
    )
    assert text_of(race, "error") == ""
    ((_, title, rows, *_, bodies),) = runs(race)
    assert "20" in title
    assert (rows, bodies) == (str(OF_UNITED), "same")
    assert race.get_log("browser") == []


def test_a_race_shows_where_the_time_goes(race):
    start(race, rows=1000)
    cells = {
        part: [
            cell.text
            for cell in race.find_elements(By.CSS_SELECTOR, f"[data-part={part}] td.number")
        ]
        for part in PARTS
    }
    for part, texts in cells.items():
        assert len(texts) == 2
        assert all(float(text.replace(",", "")) >= 0 for text in texts if text != NONE)
        assert part == "instances" or NONE not in texts
    assert cells["instances"][0] != NONE


def test_the_parts_of_the_bars_add_up_to_the_whole(race):
    start(race)
    for lane in ("stock", "fastschema"):
        bar, whole, longest = race.execute_script(
            "const bar = document.querySelector(`.bar[data-lane=${arguments[0]}]`);"
            "const [run] = JSON.parse(sessionStorage.getItem(`race ${document.title}`));"
            "return [[...bar.querySelectorAll('i')].reduce("
            "  (sum, each) => sum + each.getBoundingClientRect().width, 0) / bar.clientWidth,"
            "  run[arguments[0]].whole, Math.max(run.stock.whole, run.fastschema.whole)]",
            lane,
        )
        assert bar == pytest.approx(whole / longest, abs=0.02)


def test_the_bars_tell_their_times_and_the_ratio(race):
    start(race)
    (_, _, _, stock, fast, ratio, _) = runs(race)[0]
    told = race.execute_script(
        "return [...document.querySelectorAll('.lanes output')].map((each) => each.textContent)"
    )
    assert told == [f"{stock} msper request", f"{fast} ms{ratio} times as fast"]


def test_the_lanes_take_turns_and_the_median_is_told(race):
    race.execute_script(NOTED_LANES)
    start(race)
    one, other = "stock", "fastschema"
    assert race.execute_script("return asked") == [one, other, other, one, one, other]
    assert race.execute_script("return median([3, 1, 2].map((whole) => ({ whole }))).whole") == 2


def test_a_race_that_runs_shows_rows_and_seconds(race):
    race.execute_script(HELD_REQUESTS)
    press(race)

    def told(lane: str) -> tuple[float, str, float]:
        seconds, rows, width = race.execute_script(
            "const bar = document.querySelector(`.bar[data-lane=${arguments[0]}]`);"
            "const { firstChild, lastChild } = bar.nextElementSibling;"
            "return [firstChild.data, lastChild.textContent, bar.firstChild.offsetWidth]",
            lane,
        )
        return float(seconds.removesuffix(" s")), rows, width

    WebDriverWait(race, 30).until(lambda _: told("stock")[0] > 0.1)
    assert told("stock")[1] == told("fastschema")[1] == "0 rows"
    race.execute_script("release()")
    WebDriverWait(race, 30).until(lambda _: told("fastschema")[0] > 0.1)
    assert told("stock")[1] == f"{OF_UNITED} rows"
    assert told("stock")[2] > 0
    assert text_of(race, "status") == "Racing \N{HORIZONTAL ELLIPSIS}"
    race.execute_script("window.fetch = works; release()")
    wait(race)


def test_before_the_first_race_there_are_no_results(race):
    assert not race.find_element(By.ID, "result").is_displayed()
    assert not race.find_element(By.ID, "history").is_displayed()
    assert not race.find_elements(By.CSS_SELECTOR, ".bar i")
    start(race)
    assert race.find_element(By.ID, "result").is_displayed()
    assert race.find_elements(By.CSS_SELECTOR, ".bar i")


def test_nothing_is_cut_off_on_a_phone(race):
    size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": False}
    race.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        start(race)
        for selector in ("label", "button", ".lanes output", "td, thead th"):
            right = race.execute_script(
                "return Math.max(...[...document.querySelectorAll(arguments[0])]"
                ".map((each) => each.getBoundingClientRect().right))",
                selector,
            )
            assert right <= 390
    finally:
        size.update(width=960, height=900)
        race.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def test_the_keyboard_is_enough(race):
    keys = race.switch_to.active_element
    keys.send_keys(Keys.TAB)
    while race.switch_to.active_element.get_attribute("name") != "endpoint":
        race.switch_to.active_element.send_keys(Keys.TAB)
    race.switch_to.active_element.send_keys(Keys.RIGHT)  # from the page to a flight
    race.switch_to.active_element.send_keys(Keys.TAB)
    assert race.switch_to.active_element.text == "Start"
    race.switch_to.active_element.send_keys(Keys.ENTER)
    wait(race)
    assert [run[1] for run in runs(race)] == ["One flight"]
    assert race.switch_to.active_element.text == "Start"


def test_everything_to_operate_has_a_name(race):
    for element in race.find_elements(By.CSS_SELECTOR, "input, button"):
        assert element.accessible_name
    assert race.find_element(By.TAG_NAME, "fieldset").accessible_name == "Choose a request"
    roles = [race.find_element(By.ID, name).aria_role for name in ("status", "error")]
    assert roles == ["status", "alert"]


def test_the_last_runs_outlive_a_reload_and_the_oldest_are_left_out(race):
    start(race)
    (oldest,) = runs(race)
    for _ in range(10):
        start(race)
    kept = runs(race)
    assert len(kept) == 10
    assert oldest not in kept
    race.refresh()
    assert runs(race) == kept


def test_it_says_so_if_there_are_fewer_flights_than_asked_for(race):
    start(race, rows=1000)
    assert f"The database has only {FLIGHTS} such flights." in text_of(race, "status")
    assert [run[2] for run in runs(race)] == [str(FLIGHTS)]


def test_bodies_that_differ_are_an_alarm(race):
    race.execute_script(CHANGED_BODY)
    start(race)
    assert text_of(race, "error").startswith("The bodies differ from byte ")
    assert "the same" not in text_of(race, "status")
    ((*_, bodies),) = runs(race)
    assert bodies.startswith("differ from byte ")


def test_it_is_dark_where_the_user_wants_it_dark(race):
    def lightness(what: str) -> int:
        color = race.execute_script(f"return getComputedStyle(document.body).{what}")
        return sum(int(each) for each in color.removeprefix("rgb(").rstrip(")").split(","))

    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        race.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        is_dark = lightness("backgroundColor") < lightness("color")
        assert is_dark is (scheme == "dark")
    race.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


@pytest.mark.parametrize("framework", SERVERS)
def test_an_empty_database_is_said(page, databases, framework, tmp_path):
    with served(framework, databases["empty"], tmp_path / "log") as address:
        page.get(address)
        start(page)
        assert text_of(page, "error").startswith("The database has no such flights.")
        assert "make demo" in text_of(page, "error")
        assert (text_of(page, "status"), runs(page)) == ("", [])


@pytest.mark.parametrize("framework", SERVERS)
def test_a_lane_that_fails_is_said(page, databases, framework, tmp_path):
    with served(framework, databases["no tables"], tmp_path / "log") as address:
        page.get(address)
        start(page)
        assert text_of(page, "error").startswith(
            "The lane of stock failed: the server answered 500"
        )
        assert (text_of(page, "status"), runs(page)) == ("", [])


def test_a_server_that_is_gone_is_said(page, databases, tmp_path):
    with served("flask", databases["flights"], tmp_path / "log") as address:
        page.get(address)
    start(page)
    assert text_of(page, "error").startswith(
        "The lane of stock failed: the server does not answer."
    )


def test_what_failed_is_forgotten_when_it_works(race):
    race.execute_script("window.works = window.fetch; window.fetch = () => Promise.reject()")
    start(race)
    assert text_of(race, "error") != ""
    race.execute_script("window.fetch = window.works")
    start(race)
    assert text_of(race, "error") == ""
    assert len(runs(race)) == 1
