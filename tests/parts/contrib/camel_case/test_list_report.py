"""The doctor takes FastCamelCaseJSONRenderer for one of fastschema's."""

import pytest
from rest_framework.test import APIRequestFactory

from fastschema.doctor.django.list_report import list_report
from tests.marks import needs_orjson
from tests.promises.camel_case.test_renderers import Routes


@needs_orjson
@pytest.mark.django_db
def test_the_doctor_has_nothing_against_it():
    view = Routes(request=Routes().initialize_request(APIRequestFactory().get("/")))
    view.format_kwarg, view.kwargs = None, {}
    assert list_report(view).renderer is None
