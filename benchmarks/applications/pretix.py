"""pretix, which sells tickets, over PostgreSQL and Redis."""

from __future__ import annotations

import datetime
import os
from decimal import Decimal
from pathlib import Path
from typing import Any
from wsgiref.types import WSGIApplication

from applications.application import Request
from applications.django_application import DjangoApplication
from applications.filling import created, made
from applications.postgresql import address

TOKEN = "t" * 64
START = datetime.datetime(2024, 1, 1, 8, 30, tzinfo=datetime.UTC)
EVENTS, ITEMS, VOUCHERS, ORDERS, POSITIONS = 3, 60, 200, 400, 2
"""How many events there are, what the first of them has, and what each of its orders has."""


class Pretix(DjangoApplication):
    """Its API, for a team that may do everything."""

    title = "pretix"
    packages = ("pretix", "django", "djangorestframework")
    own_code = ("pretix/", "i18nfield/", "hierarkey/", "django_scopes/")
    masked = frozenset(
        {"id", "code", "order", "secret", "url", "pseudonymization_id", "datetime", "last_modified"}
        | {"expires", "created", "payment_date", "details"}
    )
    settings = "pretix.settings"
    database = "application_pretix"

    def environment(self, directory: Path) -> dict[str, str]:
        server = address()
        return {
            "DATA_DIR": str(directory),
            "PRETIX_DATABASE_BACKEND": "postgresql",
            "PRETIX_DATABASE_NAME": self.database,
            **{
                f"PRETIX_DATABASE_{name.upper()}": server[name]
                for name in ("host", "port", "user", "password")
            },
            "PRETIX_DJANGO_SECRET": "of a benchmark",
            "PRETIX_PRETIX_LOGLEVEL": "ERROR",
            "PRETIX_PRETIX_URL": "http://localhost",
            "PRETIX_REDIS_LOCATION": f"{os.environ['REDIS_URL']}/0",
        }

    def start(self, directory: Path, *, fast: bool) -> WSGIApplication:
        wsgi = super().start(directory, fast=fast)
        from django.conf import settings

        settings.CELERY_TASK_ALWAYS_EAGER = True  # there is no broker
        return wsgi

    def credentials(self) -> dict[str, str]:
        return {"HTTP_AUTHORIZATION": f"Token {TOKEN}"}

    def add(self) -> None:
        from django.core.cache import cache
        from django_scopes import scopes_disabled

        cache.clear()
        with scopes_disabled():
            Shop().add()

    def requests(self) -> list[Request]:
        from django_scopes import scopes_disabled
        from pretix.base.models import Event, Order

        with scopes_disabled():
            event = Event.objects.get(slug="event-0")
            order = event.orders.order_by("pk")[ORDERS // 2]
            position = order.positions.first()
            item = event.items.order_by("pk").first()
            of_checkins = f"checkinlists/{event.checkin_lists.get().pk}/positions"
            written = {
                "email": "new@example.com",
                "locale": "en",
                "sales_channel": "web",
                "status": Order.STATUS_PENDING,
                "positions": [
                    {
                        "item": item.pk,
                        "variation": item.variations.first().pk,
                        "price": "23.00",
                        "attendee_name_parts": {"full_name": "Ada"},
                        "answers": [],
                    }
                ],
            }
        changed = {"comment": "paid at the door", "checkin_attention": True}
        api = "/api/v1/organizers/organizer"
        of_event = f"{api}/events/{event.slug}"
        return [
            Request("events", f"{api}/events/"),
            Request("items, 20", f"{of_event}/items/?page_size=20"),
            Request("items, 50 (the default)", f"{of_event}/items/", sampled=True),
            Request("quotas, 50", f"{of_event}/quotas/"),
            Request("vouchers, 20", f"{of_event}/vouchers/?page_size=20"),
            Request("vouchers, 50", f"{of_event}/vouchers/", sampled=True),
            Request("orders, 20", f"{of_event}/orders/?page_size=20"),
            Request("orders, 50", f"{of_event}/orders/", sampled=True),
            Request("orders without positions, 50", f"{of_event}/orders/?exclude=positions"),
            Request("orders, two fields, 50", f"{of_event}/orders/?include=code&include=email"),
            Request("orders of an organizer, 50", f"{api}/orders/"),
            Request("paid orders, newest first", f"{of_event}/orders/?status=p&ordering=-datetime"),
            Request("orders, searched", f"{of_event}/orders/?search=guest-12"),
            Request("positions, 20", f"{of_event}/orderpositions/?page_size=20"),
            Request("positions, 50", f"{of_event}/orderpositions/", sampled=True),
            Request("positions to check in, 50", f"{of_event}/{of_checkins}/"),
            Request("an item", f"{of_event}/items/{item.pk}/"),
            Request("an order", f"{of_event}/orders/{order.code}/", sampled=True),
            Request("a position", f"{of_event}/orderpositions/{position.pk}/"),
            Request("POST an order", f"{of_event}/orders/", "POST", written, sampled=True),
            Request("PATCH an order", f"{of_event}/orders/{order.code}/", "PATCH", changed),
        ]


APPLICATION = Pretix()


class Shop:
    """What the database is filled with."""

    def add(self) -> None:
        """Add an organizer with a team and events; the first of them has everything else."""
        from pretix.base.models import Event, Organizer

        self.organizer = Organizer.objects.create(name="Organizer", slug="organizer")
        team = self.organizer.teams.create(
            name="Team", all_events=True, all_event_permissions=True, all_organizer_permissions=True
        )
        team.tokens.create(name="of a benchmark", token=TOKEN)
        self.event, *_ = created(
            Event,
            EVENTS,
            organizer=self.organizer,
            name=lambda number: {"en": f"Event {number}", "de": f"Veranstaltung {number}"},
            slug="event-{}",
            currency="EUR",
            live=True,
            date_from=START + datetime.timedelta(days=100),
            plugins="pretix.plugins.banktransfer,pretix.plugins.ticketoutputpdf",
        )
        self.add_items()
        self.add_orders()

    def add_items(self) -> None:
        """Add items with variations, quotas, vouchers, questions, and a list of who comes in."""
        event = self.event
        self.checkins = event.checkin_lists.create(name="Everybody", include_pending=True)
        self.tax = event.tax_rules.create(rate=Decimal(19), name="VAT")
        names = [{"en": name} for name in ("Tickets", "Merchandise", "Food")]
        categories = made(event.categories.create, 3, name=names, position=[0, 1, 2])
        items = made(
            event.items.create,
            ITEMS,
            name=lambda number: {"en": f"Item {number}", "de": f"Artikel {number}"},
            category=categories,
            default_price=Decimal(23),
            tax_rule=self.tax,
            admission=[True, False, False],
            position=lambda number: number,
        )
        self.items = []
        for number, item in enumerate(items):
            variations = [item.variations.create(value={"en": each}) for each in ("Adult", "Child")]
            quota = event.quotas.create(name=f"Quota {number}", size=None if number % 2 else 5000)
            quota.items.add(item)
            quota.variations.set(variations)
            self.items.append((item, variations))
        self.question = event.questions.create(question={"en": "Diet?"}, type="S", required=False)
        made(
            event.vouchers.create,
            VOUCHERS,
            code="VOUCHER{}",
            max_usages=[1, 2, 3],
            price_mode=["none", "set", "percent"],
            value=lambda number: Decimal(number % 20) if number % 3 else None,
            item=lambda number: items[number % ITEMS] if number % 4 else None,
            tag=[f"tag {number}" for number in range(9)],
        )

    def add_orders(self) -> None:
        """Add orders with addresses, positions, answers, payments, fees, and who has come in."""
        from pretix.base.models import orders

        event, channel = self.event, self.organizer.sales_channels.get(identifier="web")
        for number in range(ORDERS):
            moment = START + datetime.timedelta(minutes=7 * number)
            order = orders.Order.objects.create(
                code=f"A{number:04}",
                secret=f"{number:016}",
                event=event,
                organizer=self.organizer,
                email=f"guest-{number}@example.com",
                locale=("en", "de")[number % 2],
                status=("p", "n", "p", "e", "c")[number % 5],
                datetime=moment,
                expires=moment + datetime.timedelta(days=14),
                total=Decimal(23 * POSITIONS) + Decimal("0.50"),
                sales_channel=channel,
                comment="by telephone" if number % 7 == 0 else "",
                api_meta={"campaign": number % 5} if number % 3 else {},
            )
            order.fees.create(fee_type="payment", value=Decimal("0.50"), tax_rule=self.tax)
            orders.InvoiceAddress.objects.create(
                order=order,
                name_parts={"_scheme": "full", "full_name": f"Guest {number}"},
                street=f"Street {number}",
                zipcode="10115",
                city="Berlin",
                country="DE",
                is_business=number % 4 == 0,
            )
            if order.status == "p":
                order.payments.create(
                    state="confirmed",
                    amount=order.total,
                    provider="banktransfer",
                    payment_date=moment,
                    info='{"reference": "EVENT"}',
                )
            for each in range(POSITIONS):
                self.add_position(order, number, each)
            order.create_transactions()

    def add_position(self, order: Any, number: int, each: int) -> None:
        """Add a position to an order."""
        item, variations = self.items[(number + each) % ITEMS]
        position = order.positions.create(
            positionid=each + 1,
            organizer=self.organizer,
            item=item,
            variation=variations[each % 2],
            price=Decimal(23),
            attendee_name_parts={"_scheme": "full", "full_name": f"Guest {number}-{each}"},
            attendee_email=f"guest-{number}-{each}@example.com",
            secret=f"{number:010}{each}",
            pseudonymization_id=f"P{number:06}{each}",
            tax_rule=self.tax,
            tax_rate=Decimal("19.00"),
            tax_value=Decimal("3.67"),
        )
        if number % 3 == 0:
            position.answers.create(question=self.question, answer=f"no nuts, please ({number})")
        if order.status == "p" and number % 2 == 0:
            position.all_checkins.create(list=self.checkins, datetime=order.datetime)
