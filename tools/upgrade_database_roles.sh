# Gives a PostgreSQL of docker-compose.yml, as it was before there were two roles, the roles of today.
#
#   docker compose exec -T postgres bash -s < tools/upgrade_database_roles.sh       (docs/howto/upgrade.md)
#
# Before, the house's role `pitledger` was the superuser and owned everything. Afterwards `postgres` is the superuser,
# `pitledger_owner` owns the tables of the events, and `pitledger` owns what it may rebuild and no more. A second run
# finds the roles and changes nothing; one that was broken off is finished by the next.
set -euo pipefail

ask() { psql --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 "$@"; }
roles() { ask --username="$1" --dbname=postgres --command="SELECT rolname FROM pg_roles WHERE rolname = '$2'" 2>/dev/null || true; }

if [ -z "$(roles postgres postgres)" ]; then  # a role cannot rename itself
  [ -n "$(roles pitledger pitledger_upgrade)" ] || ask --username=pitledger --dbname=postgres --command='CREATE ROLE pitledger_upgrade SUPERUSER LOGIN'
  ask --username=pitledger_upgrade --dbname=postgres --command='ALTER ROLE pitledger RENAME TO postgres'
fi

ask --username=postgres --dbname=postgres --set=admin="$(cat /run/secrets/db_admin_password)" \
  --set=owner="$(cat /run/secrets/db_owner_password)" --set=house="$(cat /run/secrets/db_password)" <<'SQL'
BEGIN;
SELECT 'CREATE ROLE pitledger LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'pitledger') \gexec
SELECT 'CREATE ROLE pitledger_owner LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'pitledger_owner') \gexec
ALTER ROLE postgres PASSWORD :'admin';
ALTER ROLE pitledger PASSWORD :'house';
ALTER ROLE pitledger_owner PASSWORD :'owner';
GRANT pitledger TO pitledger_owner;
ALTER DATABASE events OWNER TO pitledger_owner;
ALTER DATABASE read OWNER TO pitledger;
ALTER DATABASE access OWNER TO pitledger;
ALTER ROLE pitledger_owner IN DATABASE read SET role = pitledger;
ALTER ROLE pitledger_owner IN DATABASE access SET role = pitledger;
DROP ROLE IF EXISTS pitledger_upgrade;
COMMIT;
SQL

# Every table, sequence, view and function of ours in a database; what belongs to an extension stays with it.
hand_over() {
  ask --username=postgres --dbname="$1" --set=heir="$2" <<'SQL'
BEGIN;
SELECT format('ALTER TABLE %s OWNER TO %I', oid::regclass, :'heir') FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm')
  AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')
UNION ALL
SELECT format('ALTER SEQUENCE %s OWNER TO %I', oid::regclass, :'heir') FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind = 'S'
  AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_class.oid AND deptype IN ('a', 'i', 'e'))
UNION ALL
SELECT format('ALTER ROUTINE %s OWNER TO %I', oid::regprocedure, :'heir') FROM pg_proc
WHERE pronamespace = 'public'::regnamespace
  AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e') \gexec
COMMIT;
SQL
}
hand_over events pitledger_owner
hand_over read pitledger
hand_over access pitledger

ask --username=postgres --dbname=events <<'SQL'
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO pitledger;
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO pitledger;
ALTER DEFAULT PRIVILEGES FOR ROLE pitledger_owner GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO pitledger;
ALTER DEFAULT PRIVILEGES FOR ROLE pitledger_owner GRANT USAGE, SELECT ON SEQUENCES TO pitledger;
SQL
echo "The roles are those of today. Go on with: docker compose up --build --detach --wait"
