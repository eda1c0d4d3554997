"""The action interface's addresses: actions and layout ask the desk, which checks the badge.

Addresses for reading are with the pages.
"""

from django.urls import path, register_converter

from backoffice.api.actions import actions
from backoffice.api.attachment_upload_and_case_export import OPEN_TO, attachments, case_archive, case_exports
from backoffice.api.stream_kind_path_converters import NamedKind, OneKind
from backoffice.api.terminal_snapshot import layout
from backoffice.kit.reader_and_read_rule_types import public, with_read_rule

register_converter(OneKind, "kind")
register_converter(NamedKind, "named-kind")

urlpatterns = [
    path("<kind:kind>/actions", public(actions)),
    path("<named-kind:kind>/<str:name>/actions", public(actions)),
    path("tables/<str:name>/layout", public(layout)),
    path("cases/<str:name>/attachments", public(attachments)),
    path("cases/<str:name>/exports", public(case_exports)),
    path("cases/<str:name>/exports/<str:export>", with_read_rule(case_archive, OPEN_TO)),
]
