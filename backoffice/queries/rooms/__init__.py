"""What the rooms see in which something is counted or changed: pit, cage, count room."""
