-- The roles and the three databases of a house, made once by a superuser of PostgreSQL:
--
--   psql --set=owner=PASSWORD --set=house=PASSWORD --file=tools/deploy/databases.sql
--
-- The owner makes the tables of the events and their guards. The role of the house reads and appends; it owns what it
-- may rebuild, the read models and the access log, and no more.
\set ON_ERROR_STOP on
CREATE ROLE pitledger LOGIN PASSWORD :'house';
CREATE ROLE pitledger_owner LOGIN PASSWORD :'owner';
GRANT pitledger TO pitledger_owner;
CREATE DATABASE events OWNER pitledger_owner TEMPLATE template0 ENCODING 'UTF8';
CREATE DATABASE read OWNER pitledger TEMPLATE template0 ENCODING 'UTF8';
CREATE DATABASE access OWNER pitledger TEMPLATE template0 ENCODING 'UTF8';
ALTER ROLE pitledger_owner IN DATABASE read SET role = pitledger;
ALTER ROLE pitledger_owner IN DATABASE access SET role = pitledger;
\connect events
ALTER DEFAULT PRIVILEGES FOR ROLE pitledger_owner GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO pitledger;
ALTER DEFAULT PRIVILEGES FOR ROLE pitledger_owner GRANT USAGE, SELECT ON SEQUENCES TO pitledger;
