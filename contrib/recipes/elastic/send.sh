#!/usr/bin/env bash
# Analyzes evidence and puts each incident into Elasticsearch, with the names of the Elastic Common Schema where it has some.
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

"${CRASHSIFT:-crashsift}" analyze -q -f jsonl ${SINCE:+--since "$SINCE"} -o "$work/report.jsonl" -- "$@"

jq -c '
    def known: with_entries(select(.value != null));
    select(.type == "incident")
    | {index: {_id: .id}},
      ({
        "@timestamp": (.time // (now | todate)),
        message: .verdict.sentence,
        event: {
          id, kind: "event", dataset: "crashsift.incident", created: (now | todate),
          severity: ({"critical": 90, "high": 70, "medium": 50, "low": 30}[.verdict.severity // ""])
        } | known,
        host: (if .host then {name: .host} else null end),
        process: (if .process then (.process | {name, executable: .path, pid} | known) else null end),
        error: ((.exception // .bugcheck) | if . then ({code, type: .name} | known) else null end),
        crashsift: {
          kind, time_known: has("time"), signature: .signature.coarse, suspect: .suspect.module,
          fault_site: .fault_site.module, rule: .findings[0].rule,
          verdict: (.verdict | {cause, family, confidence, severity, how_sure, symptom, steps, collect_next} | known)
        } | known
      } | known)
' "$work/report.jsonl" >"$work/documents"

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
