"""Draws the race: ``python -m tests.example_project.race_picture docs/figures/race.png``.

It races 20,000 rows three times by Django and takes a picture of the page.
"""

import sys
import tempfile
from pathlib import Path

from PIL import Image

from tests.example_project.race_page import browser, manage, missing, served

SIZE = 960, 970


def main(picture: Path) -> None:
    """Write the picture."""
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.wait import WebDriverWait

    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/flights.sqlite3"
        manage(url, "migrate")
        manage(url, "load_flights", "--rows", "20000")
        with served("django", url, Path(folder) / "log") as address, browser(*SIZE) as page:
            page.get(address)
            page.find_element(By.CSS_SELECTOR, "[name=rows][value='20000']").click()
            for count in (1, 2, 3):
                page.find_element(By.TAG_NAME, "button").click()
                WebDriverWait(page, 60).until(
                    lambda page, count=count: (
                        len(page.find_elements(By.CSS_SELECTOR, "#history tbody tr")) == count
                        and not page.find_elements(By.CSS_SELECTOR, "[aria-busy]")
                    )
                )
            page.execute_script(
                "document.activeElement.blur();"
                "document.getAnimations().forEach((each) => each.finish())"
            )
            page.save_screenshot(str(picture))
    with Image.open(picture) as screenshot:
        screenshot.quantize().save(picture, optimize=True)


if __name__ == "__main__":
    if reason := missing():
        sys.exit(f"There is no picture: {reason}")
    main(Path(sys.argv[1]))
