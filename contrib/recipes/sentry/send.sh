#!/usr/bin/env bash
# Analyzes evidence and sends each incident to Sentry as an event, with the report attached to it.
#
#   send.sh PATH...
#
# SENTRY_DSN (https://KEY@HOST/PROJECT) comes from the environment, and optionally SINCE (incidents from this time on, 2026-01-31)
# and CRASHSIFT, the program (crashsift). Needs bash, curl 7.76 or later, jq 1.6 or later, and sha256sum. The event's id is made of the incident's, so that it is the same each time.
#
# Exit code: 0 all incidents are sent, 2 called wrongly or refused, others as crashsift ends.
set -euo pipefail
umask 077

die() { printf 'send.sh: %s\n' "$*" >&2 && exit 2; }
[ $# -gt 0 ] || die 'name the evidence'
[[ ${SENTRY_DSN:?} =~ ^(https?)://([0-9a-zA-Z]+)(:[0-9a-zA-Z]*)?@([^/@]+)(/.*)?/([0-9]+)$ ]] || die 'SENTRY_DSN is not a DSN'
site=${BASH_REMATCH[1]}://${BASH_REMATCH[4]}${BASH_REMATCH[5]} key=${BASH_REMATCH[2]} project=${BASH_REMATCH[6]}
case $site in
    https://* | http://127.0.0.1:* | http://localhost:*) ;;
    *) die "not an https address: $site" ;;
esac
program=${CRASHSIFT:-crashsift}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$program" analyze -q -f jsonl ${SINCE:+--since "$SINCE"} -o "$work/report.jsonl" -- "$@"

# One event a line: the stack has its outermost frame first, as Sentry wants it.
jq -c '
    def known: with_entries(select(.value != null));
    def place: if .module then "\(.module)+\(.offset // "?")" else .address // "?" end;
    select(.type == "incident")
    | (.exception.name // .exception.code // .bugcheck.name // .bugcheck.code // .kind) as $type
    | {
        id,
        event: ({
          timestamp: (.time // (now | todate)),
          platform: "other",
          logger: "crashsift",
          level: ({"critical": "fatal", "high": "error", "medium": "warning", "low": "info"}[.verdict.severity // ""] // "error"),
          server_name: .host,
          fingerprint: ["crashsift", .signature.coarse],
          logentry: {formatted: .verdict.sentence},
          exception: {values: [{
            type: $type,
            value: .verdict.sentence,
            module: .fault_site.module,
            mechanism: {type: "crashsift", handled: false},
            stacktrace: (if (.stack // []) == [] then null else {frames: [
              .stack | reverse[] | {
                function: (.function // place),
                package: .module,
                filename: .file,
                lineno: .line,
                instruction_addr: .address
              } | known]} end)
          } | known]},
          tags: ({
            cause: .verdict.cause,
            how_sure: .verdict.how_sure,
            confidence: (.verdict.confidence | tostring),
            kind,
            program: .process.name,
            program_version: .process.version,
            suspect: .suspect.module,
            rule: .findings[0].rule,
            incident: .id
          } | known | map_values(.[0:200] | gsub("[\n\r]"; " ")) | with_entries(select(.value != ""))),
          extra: ({steps: [.verdict.steps[]?.text], collect_next: .verdict.collect_next, mechanism: .verdict.mechanism} | known)
        } | known)
      }
' "$work/report.jsonl" >"$work/events"

sent=0
while IFS= read -r line; do
    incident=$(jq -r .id <<<"$line")
    id=$(printf 'crashsift %s' "$incident" | sha256sum | cut -c1-32)
    jq -c --arg id "$id" '.event + {event_id: $id}' <<<"$line" >"$work/event"
    {
        jq -nc --arg id "$id" '{event_id: $id, sent_at: (now | todate)}'
        jq -nc --argjson length "$(($(wc -c <"$work/event") - 1))" '{type: "event", length: $length, content_type: "application/json"}'
        cat "$work/event"
        jq -c --arg id "$incident" 'select(.type == "incident" and .id == $id)' "$work/report.jsonl" >"$work/attachment"
        jq -nc --argjson length "$(($(wc -c <"$work/attachment") - 1))" \
            '{type: "attachment", length: $length, filename: "incident.json", content_type: "application/json"}'
        cat "$work/attachment"
    } >"$work/envelope"
    # Sentry answers 429 where a limit is reached, with the time to wait, which curl keeps.
    curl --config <(printf 'header = "X-Sentry-Auth: Sentry sentry_version=7, sentry_client=crashsift-recipe/1.0, sentry_key=%s"\n' "$key") \
        --silent --show-error --fail-with-body --retry 3 --max-time 300 --header 'Content-Type: application/x-sentry-envelope' \
        --data-binary "@$work/envelope" -- "$site/api/$project/envelope/" >"$work/answer" || die "Sentry refused: $(cat "$work/answer")"
    sent=$((sent + 1))
done <"$work/events"
printf '%d incidents sent\n' "$sent"
