#!/usr/bin/env bash
# Analyzes evidence and puts each incident into Elasticsearch, as `-f ecs` writes it.
#
#   send.sh --template        puts the index template, once
#   send.sh PATH...
#
# ELASTIC_URL (https://ELASTIC:9200) and ELASTIC_API_KEY (the encoded form) come from the environment, and optionally
# ELASTIC_INDEX (crashsift-incidents), SINCE (incidents from this time on, 2026-01-31) and CRASHSIFT, the program (crashsift). Needs bash, curl 7.76 or later, and jq 1.6 or later.
# A document has the incident's id, so that evidence that is sent again replaces its documents.
#
# Exit code: 0 all incidents are sent, 2 called wrongly or refused, others as crashsift ends.
set -euo pipefail
umask 077

die() { printf 'send.sh: %s\n' "$*" >&2 && exit 2; }
[ $# -gt 0 ] || die 'name the evidence'
site=${ELASTIC_URL:?} key=${ELASTIC_API_KEY:?} index=${ELASTIC_INDEX:-crashsift-incidents}
[[ $key =~ ^[0-9A-Za-z+/=_-]+$ ]] || die 'not an API key'
[[ $index =~ ^[a-z0-9][a-z0-9._-]*$ ]] || die "not an index: $index"
case $site in
    https://* | http://127.0.0.1:* | http://localhost:*) ;;
    *) die "not an https address: $site" ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ask METHOD PATH TYPE FILE
ask() {
    curl --config <(printf 'header = "Authorization: ApiKey %s"\n' "$key") --silent --show-error --fail-with-body --max-time 300 \
        --request "$1" --header "Content-Type: $3" --data-binary "@$4" -- "${site%/}$2" >"$work/answer" ||
        die "Elasticsearch refused: $(head -c 2000 "$work/answer")"
}

if [ "$1" = --template ]; then
    ask PUT /_index_template/crashsift-incidents application/json "$(dirname "${BASH_SOURCE[0]}")/index-template.json"
    printf 'index template put\n'
    exit 0
fi

"${CRASHSIFT:-crashsift}" analyze -q -f ecs ${SINCE:+--since "$SINCE"} -o "$work/incidents" -- "$@"

# Elasticsearch needs a time: that of sending, where the incident's is not known.
jq -c '
    select(.event.dataset == "crashsift.incident")
    | {index: {_id: .event.id}},
      (.crashsift.time_known = has("@timestamp") | .["@timestamp"] //= (now | todate) | .event.created = (now | todate))
' "$work/incidents" >"$work/documents"

# A document has two lines.
split -l 400 -- "$work/documents" "$work/batch."
sent=0
for batch in "$work"/batch.*; do
    [ -s "$batch" ] || continue
    ask POST "/$index/_bulk" application/x-ndjson "$batch"
    jq -e '.errors == false' "$work/answer" >/dev/null ||
        die "Elasticsearch refused: $(jq -c '[.items[][] | select(.error)][0].error' "$work/answer")"
    sent=$((sent + $(wc -l <"$batch") / 2))
done
printf '%d incidents sent\n' "$sent"
