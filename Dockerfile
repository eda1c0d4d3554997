# One image for every part of Pitledger; docker-compose.yml says which part a container is.
FROM python:3.12-slim

ENV PYTHONUNBUFFERED=1 PITLEDGER_DATA=/var/lib/pitledger
WORKDIR /srv/pitledger

COPY requirements.lock ./
RUN pip install --no-cache-dir --require-hashes -r requirements.lock

COPY LICENSE manage.py ./
COPY events events
COPY projections projections
COPY workers workers
COPY backoffice backoffice
COPY tools tools
COPY docs/clients docs/clients

RUN useradd --system pitledger && install -d -o pitledger /var/lib/pitledger
USER pitledger
VOLUME /var/lib/pitledger
