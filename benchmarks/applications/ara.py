"""ara, which records what Ansible does: ``ara[server]``, over SQLite."""

from __future__ import annotations

import datetime
import os
from pathlib import Path
from typing import Any
from wsgiref.types import WSGIApplication

from applications.application import Request
from applications.django_application import DjangoApplication
from applications.filling import created

USER = "operator"
SESSION = "s" * 32
START = datetime.datetime(2024, 1, 1, 8, 30, tzinfo=datetime.UTC)
PLAYBOOKS, PLAYS, HOSTS = 600, 2, 4
"""How many playbooks there are, and what each playbook has; a play has four tasks."""


class Ara(DjangoApplication):
    """Its API, behind a proxy that authenticates users."""

    title = "ara"
    packages = ("ara", "django", "djangorestframework")
    own_code = ("ara/",)
    masked = frozenset({"id", "created", "updated", "started"})
    settings = "ara.server.settings"
    tests = tuple(
        f"ara.api.tests.tests_{each}"
        for each in (
            *("auth", "file", "file_content", "host", "label", "latesthost", "play", "playbook"),
            *("prune", "records", "result", "task", "utils"),
        )
    )

    def environment(self, directory: Path) -> dict[str, str]:
        return {
            "ARA_BASE_DIR": str(directory),
            "ARA_SECRET_KEY": "of a benchmark",
            "ARA_TIME_ZONE": "UTC",
        }

    def start(self, directory: Path, *, fast: bool) -> WSGIApplication:
        for name in ("EXTERNAL_AUTH", "READ_LOGIN_REQUIRED", "WRITE_LOGIN_REQUIRED"):
            os.environ[f"ARA_{name}"] = "true"
        return super().start(directory, fast=fast)

    def credentials(self) -> dict[str, str]:
        return {"REMOTE_USER": USER, "HTTP_COOKIE": f"sessionid={SESSION}"}

    def add(self) -> None:
        add_user()
        add_playbooks()

    def requests(self) -> list[Request]:
        from ara.api import models

        playbook = models.Playbook.objects.order_by("id")[PLAYBOOKS // 2]
        task = playbook.tasks.first()
        result = task.results.first()
        written = {
            "status": "failed",
            "content": {"msg": "no route to host", "changed": False, "attempts": 3},
            "changed": True,
            "host": result.host_id,
            "delegated_to": [result.host_id],
            "task": task.id,
            "play": task.play_id,
            "playbook": playbook.id,
        }
        api = "/api/v1"
        return [
            Request("playbooks, 20", f"{api}/playbooks?limit=20"),
            Request("playbooks, 100 (the default)", f"{api}/playbooks", sampled=True),
            Request("playbooks, 500", f"{api}/playbooks?limit=500"),
            Request("tasks, 20", f"{api}/tasks?limit=20"),
            Request("tasks, 50", f"{api}/tasks?limit=50", sampled=True),
            Request("tasks, 500", f"{api}/tasks?limit=500"),
            Request("results, 50", f"{api}/results?limit=50", sampled=True),
            Request("results, 500", f"{api}/results?limit=500"),
            Request("hosts, 500", f"{api}/hosts?limit=500", sampled=True),
            Request("latest hosts, 50", f"{api}/latesthosts?limit=50"),
            Request("failed results, newest first", f"{api}/results?status=failed&order=-started"),
            Request("tasks whose name contains a word", f"{api}/tasks?name=install&limit=50"),
            Request("a playbook", f"{api}/playbooks/{playbook.id}", sampled=True),
            Request("a task", f"{api}/tasks/{task.id}"),
            Request("a result", f"{api}/results/{result.id}"),
            Request("POST a result", f"{api}/results", "POST", written, sampled=True),
            Request(
                "PATCH a playbook",
                f"{api}/playbooks/{playbook.id}",
                "PATCH",
                {"status": "completed", "labels": ["nightly", "staging"]},
            ),
        ]


APPLICATION = Ara()


def add_user() -> None:
    """Add a user with all permissions and a session, who need not log in."""
    from django.contrib.auth import get_user_model
    from django.contrib.auth.models import Permission
    from django.contrib.sessions.backends.db import SessionStore
    from django.contrib.sessions.models import Session

    user = get_user_model().objects.create(username=USER)
    user.user_permissions.set(Permission.objects.filter(content_type__app_label="api"))
    data = {
        "_auth_user_id": str(user.pk),
        "_auth_user_backend": "django.contrib.auth.backends.RemoteUserBackend",
        "_auth_user_hash": user.get_session_auth_hash(),
    }
    Session.objects.create(
        session_key=SESSION,
        session_data=SessionStore().encode(data),
        expire_date=datetime.datetime(2999, 1, 1, tzinfo=datetime.UTC),
    )


def add_playbooks() -> None:
    """Add playbooks with their plays, tasks, hosts, results and files, by ara's own factories."""
    from ara.api import models
    from ara.api.tests import factories

    labels = created(models.Label, 12, name="label {}")
    latest = {}
    for number in range(PLAYBOOKS):
        started = START + datetime.timedelta(minutes=17 * number)
        playbook = factories.PlaybookFactory(
            name=f"site {number % 40}",
            started=started,
            ended=started + datetime.timedelta(seconds=95, microseconds=number),
            status=("completed", "failed", "running")[number % 3],
            path=f"/srv/ansible/site-{number % 40}.yml",
            controller=f"control-{number % 5}",
        )
        playbook.labels.set([labels[number % 12], labels[(number + 5) % 12]])
        file = factories.FileFactory(path=playbook.path, playbook=playbook)
        names = [f"host-{(number * HOSTS + each) % 300}" for each in range(HOSTS)]
        hosts = [factories.HostFactory(name=name, playbook=playbook, ok=1) for name in names]
        latest |= zip(names, hosts, strict=True)
        for each in range(PLAYS):
            add_play(playbook, file, hosts, each)
    models.LatestHost.objects.bulk_create(
        models.LatestHost(name=name, host=host) for name, host in sorted(latest.items())
    )


def add_play(playbook: Any, file: Any, hosts: list[Any], number: int) -> None:
    """Add a play with its tasks, and a result of each for some of the hosts."""
    from ara.api.tests import factories

    own = {"playbook": playbook, "status": "completed"}
    play = factories.PlayFactory(name=f"play {number}", started=playbook.started, **own)
    for line, action in enumerate(("apt", "copy", "service", "wait_for")):
        started = playbook.started + datetime.timedelta(seconds=7 * line)
        task = factories.TaskFactory(
            name=f"install {action}",
            action=action,
            lineno=12 + line,
            handler=line == 2,
            started=started,
            ended=started + datetime.timedelta(seconds=5, milliseconds=playbook.id % 997),
            warnings=["a deprecated option"] if line == 1 else [],
            play=play,
            file=file,
            **own,
        )
        results = [
            factories.ResultFactory(
                status="failed" if (playbook.id + line + each) % 7 == 0 else "ok",
                changed=each % 2 == 0,
                started=task.started,
                ended=task.ended,
                duration=task.ended - task.started,
                host=host,
                task=task,
                play=play,
                playbook=playbook,
            )
            for each, host in enumerate(hosts[:2])
        ]
        if line == 0:
            results[0].delegated_to.add(hosts[-1])
