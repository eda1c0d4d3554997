"""docker-compose.yml run for real, on stand-in base images that are made from Debian's packages."""
