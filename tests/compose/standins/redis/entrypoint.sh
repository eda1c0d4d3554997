# Serves on all addresses, as the official image's configuration does.
exec "$@" --protected-mode no --bind 0.0.0.0
