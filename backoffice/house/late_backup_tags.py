"""The alert for a late backup, on every page of an administrator."""

from django import template
from django.template.loader import render_to_string

from backoffice.house.backup_records import late_backup_for
from backoffice.kit.reader_and_read_rule_types import Reader

register = template.Library()


@register.simple_tag
def late_backup(reader: Reader | str) -> str:
    """Return the alert where the backups are late and the reader is an administrator; "" for others."""
    backup = late_backup_for(reader.roles) if isinstance(reader, Reader) else None
    return render_to_string("pages/base/late_backup.html", {"backup": backup}) if backup else ""
