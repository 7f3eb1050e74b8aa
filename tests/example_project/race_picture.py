"""Draws the race: ``python -m tests.example_project.race_picture docs/figures/race.png``.

It races all that Django has to offer, the page of 20 last, and takes a picture.
"""

import sys
import tempfile
from pathlib import Path

from PIL import Image

from tests.example_project.race_page import browser, manage, missing, served

SIZE = 960, 1090


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
            for request in reversed(page.find_elements(By.NAME, "endpoint")):
                request.click()
                page.find_element(By.TAG_NAME, "button").click()
                WebDriverWait(page, 60).until(
                    lambda page: not page.find_elements(By.CSS_SELECTOR, "[aria-busy]")
                )
            page.execute_script("document.activeElement.blur()")
            page.save_screenshot(str(picture))
    with Image.open(picture) as screenshot:
        screenshot.quantize().save(picture, optimize=True)


if __name__ == "__main__":
    if reason := missing():
        sys.exit(f"There is no picture: {reason}")
    main(Path(sys.argv[1]))
