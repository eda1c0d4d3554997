"""The probes of a serving process: `/livez` and `/readyz`, on the port of the front door, of the pages and of live.

`/livez` means that the process answers. It asks no database or broker, so a restart for its failure only restarts
hanging processes. `/readyz` means that the process can do its work now. A 503 there would not change by a restart. The
state of the whole house is at `/healthz`, which is not for restarts.
"""

LIVE = "/livez"
READY = "/readyz"
IS_LIVE = b'{"status":"ok"}'
HEADERS = (("Content-Type", "application/json"), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"))
