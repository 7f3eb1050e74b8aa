"""Follows the quick starts to the letter, as a new user would.

    python tests/quick_starts/follow.py [PAGE ...]

Each page is followed in an empty directory, in an environment of its own, where it installs the
wheel that is built from this source with the extra that the page names, and nothing else. What a
``console`` block prints is compared with the ``text`` block right after it.

``tests/test_documentation.py`` follows them too, in the environment that is there.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs").glob("quick-start-*.md"))
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"`([\w/]+\.py)`[^`\n]*:\n\n(?:<!--.*-->\n)?$")
# What is added to a page's commands: a free port, and no second process to be stopped.
SERVERS = {
    "flask --app app run": "--port {port}",
    "python manage.py runserver": "--noreload {port}",
}
PORT = re.compile(r"(?<=http://127\.0\.0\.1:)\d+")
SECONDS_TO_START = 60


class FollowError(Exception):
    """A page that does not do what it says."""


@dataclass(frozen=True)
class Step:
    """A block of a page.

    :param language: "python" (the text of a file) or "console"
    :param text: what is in it
    :param file: the file that it is to be written to, as a path in the directory
    :param is_added: whether it goes to the end of that file
    :param shown: what a command prints, as the page shows it
    :param shown_at: where in the page that is
    """

    language: str
    text: str
    file: str | None = None
    is_added: bool = False
    shown: str | None = None
    shown_at: tuple[int, int] = (0, 0)


def steps(content: str) -> Iterator[Step]:
    """What a page tells its reader to do, in order.

    :raises FollowError: for Python that goes to no file
    """
    matches = list(FENCE.finditer(content))
    for match, following in zip(matches, [*matches[1:], None], strict=True):
        language, text = match.groups()
        before = content[: match.start()]
        if language == "python":
            file = FILE.search(before)
            if file is None:
                raise FollowError(f"no file is named for this:\n{text}")
            yield Step(language, text, file[1], "the end of" in before.splitlines()[-2])
        elif language == "console":
            is_shown = following is not None and following[1] == "text"
            if is_shown and not content[match.end() : following.start()].strip():
                yield Step(language, text, shown=following[2], shown_at=following.span(2))
            else:
                yield Step(language, text)


class Follower:
    """A reader who does what a page says, in a directory.

    :param directory: an empty one
    :param wheel: what is installed where the page installs from a clone; None: nothing is, and
        the commands run in the environment of this process
    """

    def __init__(self, directory: Path, wheel: Path | None) -> None:
        self.directory = directory
        self.wheel = wheel
        self.port = free_port()
        self.server: subprocess.Popen[bytes] | None = None
        self.activate = ""
        programs = Path(sys.executable).parent
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("DJANGO", "FASTSCHEMA", "FLASK", "PYTHON"))
        }
        if wheel is None:
            self.environment["PATH"] = f"{programs}{os.pathsep}{os.environ['PATH']}"

    def do(self, step: Step) -> str:
        """Write a file, or run commands; what they print.

        :raises FollowError: if a command fails
        """
        if step.file is not None:
            path = self.directory / step.file
            path.parent.mkdir(exist_ok=True)
            with path.open("a" if step.is_added else "w", encoding="utf-8") as file:
                file.write(step.text)
            return ""
        return "".join(self.run(line) for line in step.text.splitlines())

    def run(self, line: str) -> str:
        """Run one command line; one that starts a server runs until :meth:`stop`."""
        if line.startswith(("python3 -m venv", "source ", "pip install")) and self.wheel is None:
            return ""
        if line.startswith("source "):
            self.activate = f"{line} && "
            return ""
        line = PORT.sub(str(self.port), line)
        if self.wheel is not None and line.startswith("pip install"):
            line = re.sub(r'"\.(\[\w+\])"', rf'--quiet "{self.wheel}\1"', line)
        if line in SERVERS:
            self.serve(f"{line} {SERVERS[line].format(port=self.port)}")
            return ""
        done = subprocess.run(
            ["bash", "-c", self.activate + line],
            cwd=self.directory,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise FollowError(f"{line}\nfails with this:\n{done.stdout}{done.stderr}")
        return done.stdout

    def serve(self, line: str) -> None:
        """Start a server, and wait until it answers."""
        with (self.directory / "server.log").open("wb") as log:
            self.server = subprocess.Popen(
                ["bash", "-c", f"{self.activate}exec {line}"],
                cwd=self.directory,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        until = time.monotonic() + SECONDS_TO_START
        while not answers(self.port):
            if self.server.poll() is not None or time.monotonic() > until:
                log_text = (self.directory / "server.log").read_text(encoding="utf-8")
                raise FollowError(f"{line}\ndoes not answer:\n{log_text}")
            time.sleep(0.05)

    def stop(self) -> None:
        """Stop the server."""
        if self.server is not None:
            self.server.terminate()
            self.server.wait()


def free_port() -> int:
    """A port that no process listens on, so that pages can be followed side by side."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


def answers(port: int) -> bool:
    """Whether a server answers, with whatever status."""
    try:
        urlopen(f"http://127.0.0.1:{port}/", timeout=5).close()
    except HTTPError as error:
        error.close()
    except (URLError, ConnectionError):
        return False
    return True


def follow(page: Path, directory: Path, wheel: Path | None = None) -> None:
    """Follow a page; with ``REWRITE_DOCUMENTATION`` set, write into it what is printed.

    :raises FollowError: if a command fails, or prints what the page does not show
    """
    content = page.read_text(encoding="utf-8")
    outputs = []
    follower = Follower(directory, wheel)
    try:
        for step in steps(content):
            printed = "".join(f"{each.rstrip()}\n" for each in follower.do(step).splitlines())
            if step.shown is not None:
                outputs.append((step, printed))
    finally:
        follower.stop()
    if os.environ.get("REWRITE_DOCUMENTATION"):
        for step, printed in reversed(outputs):
            start, end = step.shown_at
            content = content[:start] + printed + content[end:]
        page.write_text(content, encoding="utf-8")
        return
    for step, printed in outputs:
        if printed != step.shown:
            raise FollowError(f"{step.text}\nprints:\n{printed}\nand the page shows:\n{step.shown}")


def build_wheel(directory: Path) -> Path:
    """The wheel of this source."""
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir"]
    subprocess.run([*build, str(directory), str(ROOT)], check=True, capture_output=True)
    [wheel] = directory.glob("*.whl")
    return wheel


def main() -> int:
    """Follow the pages named, or all of them."""
    pages = [Path(name).resolve() for name in sys.argv[1:]] or PAGES
    with tempfile.TemporaryDirectory() as name:
        wheel = build_wheel(Path(name))
        for page in pages:
            directory = Path(name) / page.stem
            directory.mkdir()
            started = time.monotonic()
            try:
                follow(page, directory, wheel)
            except FollowError as error:
                print(f"{page.name}: {error}", file=sys.stderr)
                return 1
            print(f"{page.name}: followed in {time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
