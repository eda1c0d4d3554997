"""The probes of a process that serves: `/livez` and `/readyz`, on the port of the door, of the pages and of live.

`/livez` says that the process answers. It asks nothing of databases or brokers: whoever restarts what does not answer
it, restarts what hangs. `/readyz` says that the process can do its work now; 503 where it cannot, which a restart would
not change. How the whole house is stands at `/healthz`, by which nobody restarts anything.
"""

LIVE = "/livez"
READY = "/readyz"
IS_LIVE = b'{"status":"ok"}'
HEADERS = (("Content-Type", "application/json"), ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"))
