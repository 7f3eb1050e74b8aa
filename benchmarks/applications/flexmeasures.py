"""FlexMeasures, which schedules flexible energy assets, over PostgreSQL and Redis."""

from __future__ import annotations

import datetime
import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from applications.application import Request
from applications.filling import made
from applications.flask_application import FlaskApplication

EMAIL = "operator@example.com"
SITES, ASSETS, SENSORS = 40, 20, 3
"""How many sites there are, and what each site, and each asset, has."""
READINGS = 96 * 10
"""How many values the first sensor has, one each quarter of an hour."""
START = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)


class FlexMeasures(FlaskApplication):
    """Its API, as the administrator of an account."""

    title = "FlexMeasures"
    packages = ("flexmeasures", "flask", "marshmallow", "sqlalchemy")
    own_code = ("flexmeasures/", "timely_beliefs/")
    masked = frozenset({"id", "entity_address"})
    tests = ("flexmeasures.api",)
    database = "application_flexmeasures"
    factory = ("flexmeasures.app", "create")

    def create(self, directory: Path) -> tuple[Any, Any]:
        redis = urlsplit(os.environ["REDIS_URL"])
        path = self.settings_file(
            directory,
            ".cfg",
            SECRET_KEY="of a benchmark",
            SECURITY_PASSWORD_SALT="of a benchmark",
            SQLALCHEMY_DATABASE_URI=self.database_url(),
            FLEXMEASURES_REDIS_URL=redis.hostname,
            FLEXMEASURES_REDIS_PORT=redis.port,
            FLEXMEASURES_CREATE_TEMPLATE_ASSETS_ON_STARTUP=False,
            FLEXMEASURES_TIMEZONE="Europe/Amsterdam",
            LOGGING_LEVEL="WARNING",
            RATELIMIT_ENABLED=False,
        )
        os.chdir(directory)  # where its log goes
        from flexmeasures.app import create
        from flexmeasures.data import db

        return create(env="production", path_to_config=path), db

    def test_plugins(self, directory: Path, fast: bool) -> list[Any]:
        os.environ["SQLALCHEMY_TEST_DATABASE_URI"] = self.database_url()
        return super().test_plugins(directory, fast)

    def credentials(self) -> dict[str, str]:
        from flexmeasures.data.services.users import find_user_by_email

        with self.app.app_context():
            return {"HTTP_AUTHORIZATION": find_user_by_email(EMAIL).get_auth_token()}

    def fill(self) -> None:
        with self.app.app_context():
            self.db.create_all()
            owner = add_user(self.db.session)
            add_assets(self.db.session, owner)
            self.db.session.commit()

    def requests(self) -> list[Request]:
        from flexmeasures.data.models.generic_assets import GenericAsset
        from flexmeasures.data.models.time_series import Sensor
        from sqlalchemy import select

        with self.app.app_context():
            session = self.db.session
            sites = select(GenericAsset).filter_by(parent_asset_id=None)
            site = session.scalars(sites.order_by(GenericAsset.id)).first()
            asset = site.child_assets[1]
            sensor = session.scalars(select(Sensor).order_by(Sensor.id)).first()
            written = {
                "name": "new asset",
                "account_id": site.account_id,
                "generic_asset_type_id": asset.generic_asset_type_id,
                "parent_asset_id": site.id,
                "latitude": 52.3,
                "longitude": 4.9,
                "attributes": {"serial": "new", "capacity": 12},
            }
            new_sensor = {
                "name": "new sensor",
                "unit": "kW",
                "event_resolution": "PT15M",
                "generic_asset_id": asset.id,
            }
            of_site, of_asset, of_sensor = site.id, asset.id, sensor.id
        api = "/api/v3_0"
        data = f"{api}/sensors/{of_sensor}/data?start=2024-01-02T00:00:00Z&duration=P3D&unit=kW"
        return [
            Request("assets, 10 (the default page)", f"{api}/assets?page=1"),
            Request("assets, 20", f"{api}/assets?page=1&per-page=20", sampled=True),
            Request("assets, 50", f"{api}/assets?page=1&per-page=50", sampled=True),
            Request("assets, 500", f"{api}/assets?page=1&per-page=500", sampled=True),
            Request(
                "assets, 50, three fields",
                f"{api}/assets?page=1&per-page=50&fields=id&fields=name&fields=account_id",
            ),
            Request("assets of a site", f"{api}/assets?root={of_site}&depth=1"),
            Request("assets, searched", f"{api}/assets?page=1&per-page=50&filter=battery"),
            Request("sensors, 20", f"{api}/sensors?page=1&per-page=20"),
            Request("sensors, 50", f"{api}/sensors?page=1&per-page=50", sampled=True),
            Request("sensors, 500", f"{api}/sensors?page=1&per-page=500"),
            Request("sensors of a unit", f"{api}/sensors?page=1&per-page=50&unit=kWh"),
            Request("an asset", f"{api}/assets/{of_asset}", sampled=True),
            Request("a site with its assets", f"{api}/assets/{of_site}"),
            Request("a sensor", f"{api}/sensors/{of_sensor}"),
            Request("three days of a sensor's data", data),
            Request("POST an asset", f"{api}/assets", "POST", written, sampled=True),
            Request("POST a sensor", f"{api}/sensors", "POST", new_sensor),
            Request(
                "PATCH an asset",
                f"{api}/assets/{of_asset}",
                "PATCH",
                {"name": "renamed", "latitude": 51.9, "attributes": {"capacity": 15}},
            ),
        ]


APPLICATION = FlexMeasures()


def add_user(session: Any) -> Any:
    """Add an account with a user who administers it; return the account."""
    from flexmeasures.auth.policy import ACCOUNT_ADMIN_ROLE
    from flexmeasures.data.models.user import Account
    from flexmeasures.data.services.users import create_user

    account = Account(name="An operator")
    session.add(account)
    session.flush()
    create_user(
        email=EMAIL,
        password="not used by the benchmark",
        account_name=account.name,
        user_roles={"name": ACCOUNT_ADMIN_ROLE, "description": "administers its account"},
        check_email_deliverability=False,
    )
    return account


def add_assets(session: Any, owner: Any) -> None:
    """Add sites with assets, their sensors, and what one of these has measured."""
    from flexmeasures.data.models.data_sources import DataSource
    from flexmeasures.data.models.generic_assets import GenericAsset, GenericAssetType
    from flexmeasures.data.models.time_series import Sensor, TimedBelief

    names = ["site", "battery", "solar", "charger", "building"]
    types = made(GenericAssetType, 5, name=names, description=[f"A {name}" for name in names])
    sites = made(
        GenericAsset,
        SITES,
        name="Site {}",
        generic_asset_type=types[0],
        owner=owner,
        latitude=lambda number: 51 + number / 100,
        longitude=lambda number: 4 + number / 50,
        attributes=lambda number: {"address": f"Street {number}", "tags": ["north", "leased"]},
        flex_context={"site-power-capacity": "500 kW"},
    )
    assets = made(
        GenericAsset,
        SITES * ASSETS,
        name=[f"{name} {{}}" for name in names[1:]],
        description=[None, "on the roof"],
        generic_asset_type=types[1:],
        owner=owner,
        parent_asset=lambda number: sites[number // ASSETS],
        latitude=lambda number: sites[number // ASSETS].latitude,
        longitude=lambda number: sites[number // ASSETS].longitude,
        attributes=lambda number: {"serial": f"S-{number}", "capacity": number % ASSETS * 10},
        external_id="external-{}",
    )
    sensors = made(
        Sensor,
        SITES * ASSETS * SENSORS,
        name=["power", "energy", "price"],
        unit=["kW", "kWh", "EUR/MWh"],
        event_resolution=datetime.timedelta(minutes=15),
        timezone="Europe/Amsterdam",
        generic_asset=lambda number: assets[number // SENSORS],
        attributes=lambda number: {"consumption_is_positive": number % SENSORS == 0},
    )
    session.add_all([*types, *sites, *assets, *sensors])
    source = DataSource(name="A meter", type="demo script")
    session.add(source)
    session.flush()
    quarter = datetime.timedelta(minutes=15)
    session.add_all(
        made(
            TimedBelief,
            READINGS,
            sensor=sensors[0],
            source=source,
            event_start=lambda number: START + number * quarter,
            belief_horizon=datetime.timedelta(0),
            event_value=[number / 4 for number in range(96)],
        )
    )
