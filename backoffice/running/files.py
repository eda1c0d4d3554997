"""How many files a process may have open."""

import resource

SPARE = 1_024


def may_hold(connections: int) -> None:
    """Connections are files, and many systems give a process fewer to begin with than it may have."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = connections + SPARE
    wanted = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
