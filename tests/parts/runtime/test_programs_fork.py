"""A process forks while other threads compile; its child has to do without those threads."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import fastschema

FORK = """
import os
import signal
import threading


def fork_while(hold, child):
    '''Run child() in a forked process while a thread is where hold(pause) calls pause().'''
    inside, over = threading.Event(), threading.Event()

    def pause():
        inside.set()
        over.wait()

    thread = threading.Thread(target=hold, args=[pause])
    thread.start()
    inside.wait()
    process = os.fork()
    if process == 0:
        signal.alarm(20)  # which ends a child that waits for ever
        child()
        os._exit(0)
    _, status = os.waitpid(process, 0)
    over.set()
    thread.join()
    print("the child ended with", status)


"""

COMPILED = """
import fastschema
from fastschema.compiler import dump_code, load_code
from marshmallow import Schema, fields

code = {"dump": dump_code, "load": load_code}[NAME]
generate = code.generate
fastschema.install()

class One(Schema):
    id = fields.Integer()

class Other(One):
    name = fields.String()

def use(schema):
    rows = [{"id": 1}] * 200
    assert getattr(schema(many=True), NAME)(rows) == rows

def hold(pause):
    parent = os.getpid()

    def generate_slowly(*args):
        if os.getpid() == parent:
            pause()
        return generate(*args)

    code.generate = generate_slowly
    use(One)

def child():
    use(One)
    use(Other)
    assert fastschema.stats().programs

fork_while(hold, child)
use(One)
"""


def run(script, name=""):
    """What a script prints in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", f"NAME = {name!r}\n{FORK}{script}"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")


@needs_fork
@pytest.mark.parametrize("name", ["dump", "load"])
def test_a_child_compiles_although_another_thread_did_when_it_forked(name):
    assert run(COMPILED, name) == "the child ended with 0\n"


def test_there_are_no_locks():
    pattern = re.compile(
        r"\bthreading\b(?! import get_ident$)"
        r"|^from functools import .*\bcached_property|functools\.cached"
    )
    source = Path(fastschema.__file__).parent
    found = {
        path.relative_to(source).as_posix(): line
        for path in source.rglob("*.py")
        for line in path.read_text().splitlines()
        if pattern.search(line)
    }
    # These ask what is one of them.
    asking = {"runtime/patching.py", "contrib/django/front_end/customization.py"}
    assert found.keys() == asking, found
