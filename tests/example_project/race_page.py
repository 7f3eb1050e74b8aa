"""The race of the example project: its servers, and a browser that opens it."""

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import requests

PROJECT = Path(__file__).resolve().parents[2] / "example_project"
SERVERS = {
    "django": ["manage.py", "runserver", "--noreload", "{port}"],
    "flask": ["-m", "flask", "--app", "flights_flask", "run", "--port", "{port}"],
}
PATIENCE = 30.0


def missing() -> str | None:
    """Say what a browser would need that is not here; None if there is one."""
    programs = [each for each in ("chromium", "chromedriver") if shutil.which(each) is None]
    packages = [each for each in ("selenium",) if importlib.util.find_spec(each) is None]
    absent = ", ".join(programs + packages)
    return f"{absent} missing: run it by `make test-browser`" if absent else None


@contextmanager
def browser(width: int, height: int) -> Iterator:
    """Yield a browser with an empty window of some size, without its frame."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    for argument in (
        "--headless=new",
        "--no-sandbox",  # which root cannot have
        "--disable-dev-shm-usage",  # which is small in containers
        "--hide-scrollbars",
        f"--window-size={width},{height}",
    ):
        options.add_argument(argument)
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    driver = webdriver.Chrome(options, service)
    try:
        driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )
        yield driver
    finally:
        driver.quit()


def environment(url: str) -> dict[str, str]:
    """Return the environment in which the example project has a database."""
    path = os.pathsep.join(each for each in sys.path if each)
    return {**os.environ, "PYTHONPATH": path, "DATABASE_URL": url, "DEBUG": "1", "FASTSCHEMA": "1"}


def manage(url: str, *arguments: str) -> None:
    """Run a command of the Django project.

    :raises RuntimeError: with what it says, if it fails
    """
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments, "--verbosity", "0"],
        cwd=PROJECT,
        env=environment(url),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)


@contextmanager
def served(framework: str, url: str, log: Path) -> Iterator[str]:
    """Yield the address of the race, served by one of ``SERVERS`` from the database at ``url``."""
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}/"
    arguments = [each.format(port=port) for each in SERVERS[framework]]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=PROJECT,
            env=environment(url),
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        deadline = time.monotonic() + PATIENCE
        while True:
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(log.read_text())
            try:
                requests.get(address, timeout=PATIENCE)
                break
            except requests.ConnectionError:
                time.sleep(0.05)
        yield address
    finally:
        process.terminate()
        process.wait(PATIENCE)
