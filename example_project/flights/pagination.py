"""How long answers are cut into pages."""

from rest_framework.pagination import PageNumberPagination


class Pages(PageNumberPagination):
    """Pages of 50, or of ``?page_size=``, which may not exceed 1,000."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 1000
