# KAFKA_LOG_DIRS becomes log.dirs; the folder is formatted at the first start.
set -euo pipefail
properties=/opt/kafka/config/server.properties
env | sed -nE '/^KAFKA_HEAP_OPTS=/d; s/^KAFKA_([A-Z_]+)=(.*)/\1 \2/p' | while read -r name value; do
  name=${name,,}
  echo "${name//_/.}=$value"
done >"$properties"
java=(java ${KAFKA_HEAP_OPTS:-} -XX:+UseSerialGC -XX:-UsePerfData -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp '/opt/kafka/libs/*')
"${java[@]}" kafka.tools.StorageTool format --ignore-formatted --config="$properties" \
  --cluster-id="$(echo pitledger-tests-1 | head -c 16 | base64 | tr '+/' '-_' | head -c 22)"
exec "${java[@]}" kafka.Kafka "$properties"
