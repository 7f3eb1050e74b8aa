"""Superset, which explores data in charts and dashboards, over PostgreSQL and Redis."""

from __future__ import annotations

import datetime
import json
import logging
import os
from pathlib import Path
from typing import Any

from applications.application import Request
from applications.filling import made
from applications.flask_application import FlaskApplication

USER = "operator"
START = datetime.datetime(2024, 1, 1, 8, 30)
DATASETS, COLUMNS, CHARTS, DASHBOARDS, CHARTS_OF_ONE = 120, 12, 400, 150, 8
"""How many there are, and how many charts a dashboard has."""


class Superset(FlaskApplication):
    """Its API, as an administrator."""

    title = "Superset"
    packages = ("apache-superset", "flask", "flask-appbuilder", "marshmallow", "sqlalchemy")
    own_code = ("superset/", "flask_appbuilder/")
    masked = frozenset({"id", "uuid", "last_saved_at", "changed_on", "last_modified_time", "url"})
    database = "application_superset"
    factory = ("superset.app", "create_app")

    def create(self, directory: Path) -> tuple[Any, Any]:
        cache = {"CACHE_TYPE": "RedisCache", "CACHE_REDIS_URL": f"{os.environ['REDIS_URL']}/0"}
        os.environ["SUPERSET_CONFIG_PATH"] = self.settings_file(
            directory,
            ".py",
            SECRET_KEY="of a benchmark, " * 4,
            SQLALCHEMY_DATABASE_URI=self.database_url(),
            DATA_DIR=str(directory),
            FILTER_STATE_CACHE_CONFIG=cache,
            EXPLORE_FORM_DATA_CACHE_CONFIG=cache,
            CACHE_CONFIG=cache,
            WTF_CSRF_ENABLED=False,  # its clients send a token of the API
            TALISMAN_ENABLED=False,
            LOG_LEVEL="ERROR",
        )
        from superset.app import create_app
        from superset.extensions import db

        return create_app(), db

    def credentials(self) -> dict[str, str]:
        from flask_jwt_extended import create_access_token
        from superset.extensions import security_manager

        with self.app.app_context():
            user = security_manager.find_user(USER)
            never = datetime.timedelta(days=365)
            token = create_access_token(str(user.id), fresh=True, expires_delta=never)
        return {"HTTP_AUTHORIZATION": f"Bearer {token}"}

    def fill(self) -> None:
        from flask_migrate import upgrade
        from superset.extensions import appbuilder, security_manager

        logging.disable(logging.WARNING)  # of hundreds of migrations
        with self.app.app_context():
            folder = Path(self.app.root_path) / "migrations"
            upgrade(str(folder))
            appbuilder.add_permissions(update_perms=True)
            security_manager.sync_role_definitions()
            role = security_manager.find_role("Admin")
            user = security_manager.add_user(
                USER, "Ada", "Lovelace", f"{USER}@example.com", role, "not used by the benchmark"
            )
            add_content(self.db.session, user)
            self.db.session.commit()
            settle_datasets(self.db.session)

    def requests(self) -> list[Request]:
        from superset.models.dashboard import Dashboard
        from superset.models.slice import Slice

        with self.app.app_context():
            dashboard, chart = (
                self.db.session.query(model).order_by(model.id).first().id
                for model in (Dashboard, Slice)
            )
        api = "/api/v1"
        written = {
            "slice_name": "New chart",
            "viz_type": "table",
            "params": json.dumps({"metrics": ["count"]}),
            "datasource_id": 1,
            "datasource_type": "table",
        }
        searched = "filters:!((col:dashboard_title,opr:title_or_slug,value:sales)),page_size:20"
        return [
            Request("charts, 20", f"{api}/chart/?q=(page_size:20)", sampled=True),
            Request("charts, 100", f"{api}/chart/?q=(page_size:100)", sampled=True),
            Request(
                "charts, three columns, 100",
                f"{api}/chart/?q=(columns:!(id,slice_name,viz_type),page_size:100)",
                sampled=True,
            ),
            Request("dashboards, 20", f"{api}/dashboard/?q=(page_size:20)", sampled=True),
            Request("dashboards, 100", f"{api}/dashboard/?q=(page_size:100)"),
            Request("dashboards, searched", f"{api}/dashboard/?q=({searched})"),
            Request("datasets, 20", f"{api}/dataset/?q=(page_size:20)"),
            Request("datasets, 100", f"{api}/dataset/?q=(page_size:100)"),
            Request("users, to choose from", f"{api}/chart/related/owners"),
            Request("a chart", f"{api}/chart/{chart}", sampled=True),
            Request("a dashboard", f"{api}/dashboard/{dashboard}"),
            Request("the charts of a dashboard", f"{api}/dashboard/{dashboard}/charts"),
            Request("its datasets", f"{api}/dashboard/{dashboard}/datasets", sampled=True),
            Request("a dataset", f"{api}/dataset/1"),
            Request("POST a chart", f"{api}/chart/", "POST", written, sampled=True),
        ]


APPLICATION = Superset()


def settle_datasets(session: Any) -> None:
    """Date the datasets back, as answers say how many seconds ago one of this minute changed."""
    from superset.connectors.sqla.models import SqlaTable

    session.execute(SqlaTable.__table__.update().values(changed_on=START))
    session.commit()


def add_content(session: Any, user: Any) -> None:
    """Add datasets, charts of them, and dashboards."""
    from superset.connectors.sqla.models import SqlaTable, SqlMetric, TableColumn
    from superset.models.core import Database
    from superset.models.dashboard import Dashboard
    from superset.models.slice import Slice

    dated = {"created_on": START, "changed_on": START, "created_by": user, "changed_by": user}
    database = Database(database_name="warehouse", sqlalchemy_uri="sqlite://", **dated)
    session.add(database)
    session.flush()
    kinds = ["STRING", "INTEGER", "FLOAT", "TIMESTAMP"]
    is_date = [kind == "TIMESTAMP" for kind in kinds]
    datasets = made(
        SqlaTable,
        DATASETS,
        table_name="table_{}",
        schema="main",
        database=database,
        owners=lambda _: [user],
        description="What {} departments sell",
        columns=lambda _: made(
            TableColumn, COLUMNS, column_name="column_{}", type=kinds, is_dttm=is_date
        ),
        metrics=lambda _: [SqlMetric(metric_name="count", expression="COUNT(*)")],
        **dated,
    )
    session.add_all(datasets)
    session.flush()
    charts = made(
        Slice,
        CHARTS,
        slice_name="Chart {}",
        viz_type=["table", "pie", "echarts_timeseries_line"],
        datasource_id=[each.id for each in datasets],
        datasource_type="table",
        datasource_name=[each.table_name for each in datasets],
        params=json.dumps({"metrics": ["count"], "row_limit": 100, "groupby": ["column_0"]}),
        description=[None, "**Sales** by month"],
        owners=lambda _: [user],
        last_saved_at=START,
        last_saved_by=user,
        **dated,
    )
    session.add_all(charts)
    session.flush()
    session.add_all(
        made(
            Dashboard,
            DASHBOARDS,
            dashboard_title=["Sales {}", "Stock {}", "Staff {}"],
            slug="dashboard-{}",
            published=[True, False],
            position_json=json.dumps({"DASHBOARD_VERSION_KEY": "v2"}),
            json_metadata=json.dumps({"color_scheme": "", "refresh_frequency": 0}),
            slices=lambda n: [charts[(n * 3 + each) % CHARTS] for each in range(CHARTS_OF_ONE)],
            owners=lambda _: [user],
            **dated,
        )
    )
