"""The alert for a late backup, on every page of an administrator."""

from django import template

from backoffice.house.backup_records import BackupStatus, late_backup_for
from backoffice.kit.reader_and_read_rule_types import Reader

register = template.Library()


@register.simple_tag
def late_backup(reader: Reader | str) -> BackupStatus | None:
    """Return the state of the backups where they are late and the reader is an administrator."""
    return late_backup_for(reader.roles) if isinstance(reader, Reader) else None
