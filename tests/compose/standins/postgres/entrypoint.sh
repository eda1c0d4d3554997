# Makes the cluster at the first start, runs /docker-entrypoint-initdb.d on it, then serves: as the official image does.
set -euo pipefail
as_postgres() { setpriv --reuid=postgres --regid=postgres --init-groups "$@"; }
user=${POSTGRES_USER:-postgres} database=${POSTGRES_DB:-${POSTGRES_USER:-postgres}}
chown postgres "$PGDATA"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  install -o postgres -m 0600 /dev/null /tmp/password
  printf '%s' "${POSTGRES_PASSWORD:-$(cat "$POSTGRES_PASSWORD_FILE")}" >/tmp/password
  as_postgres initdb --username="$user" --auth-host=scram-sha-256 --auth-local=trust --pwfile=/tmp/password >/dev/null
  rm /tmp/password
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  as_postgres pg_ctl -w start -o "-c listen_addresses=''" >/dev/null
  [ "$database" = postgres ] || as_postgres createdb --username="$user" "$database"
  for script in /docker-entrypoint-initdb.d/*; do
    case "$script" in *.sh) as_postgres bash "$script" ;; *.sql) as_postgres psql -v ON_ERROR_STOP=1 -U "$user" -d "$database" -f "$script" ;; esac
  done
  as_postgres pg_ctl -w stop -m fast >/dev/null
fi
exec setpriv --reuid=postgres --regid=postgres --init-groups "$@" -c listen_addresses='*'
