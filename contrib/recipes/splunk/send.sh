#!/usr/bin/env bash
# Analyzes evidence and sends each incident to Splunk's HTTP Event Collector.
#
#   send.sh PATH...
#
# SPLUNK_HEC_URL (https://SPLUNK:8088) and SPLUNK_HEC_TOKEN come from the environment, and optionally SPLUNK_INDEX (the token's
# own index), SINCE (incidents from this time on, 2026-01-31) and CRASHSIFT, the program (crashsift). Needs bash, curl 7.76 or later, and jq 1.6 or later.
#
# Exit code: 0 all incidents are sent, 2 called wrongly or refused, others as crashsift ends.
set -euo pipefail
umask 077

die() { printf 'send.sh: %s\n' "$*" >&2 && exit 2; }
[ $# -gt 0 ] || die 'name the evidence'
site=${SPLUNK_HEC_URL:?} token=${SPLUNK_HEC_TOKEN:?} index=${SPLUNK_INDEX:-}
[[ $token =~ ^[0-9A-Za-z-]+$ ]] || die 'not a token'
case $site in
    https://* | http://127.0.0.1:* | http://localhost:*) ;;
    *) die "not an https address: $site" ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"${CRASHSIFT:-crashsift}" analyze -q -f jsonl ${SINCE:+--since "$SINCE"} -o "$work/report.jsonl" -- "$@"

# Of incidents, what is searched for; lists that are long (stacks, threads, symbols) stay in the report.
jq -c --arg index "$index" '
    # Seconds since 1970, with the fraction that the evidence has.
    def seconds: capture("^(?<whole>[^.Z]+)(?<fraction>[.][0-9]+)?Z$")
        | ("\(.whole)Z" | fromdateiso8601) + ("0\(.fraction // "")" | tonumber);
    select(.type == "incident")
    | {sourcetype: "crashsift:incident", source: "crashsift"}
      + (if $index == "" then {} else {index: $index} end)
      + (if .time then {time: (.time | seconds)} else {} end)
      + (if .host then {host} else {} end)
      + {event: del(.type, .stack, .threads, .symbols_needed, .other_software, .dump, .findings, .environment, .evidence)}
' "$work/report.jsonl" >"$work/events"

split -l 100 -- "$work/events" "$work/batch."
sent=0
for batch in "$work"/batch.*; do
    [ -s "$batch" ] || continue
    curl --config <(printf 'header = "Authorization: Splunk %s"\n' "$token") --silent --show-error --fail-with-body \
        --max-time 300 --header 'Content-Type: application/json' --data-binary "@$batch" -- \
        "${site%/}/services/collector/event" >"$work/answer" || die "Splunk refused: $(cat "$work/answer")"
    jq -e '.code == 0' "$work/answer" >/dev/null || die "Splunk refused: $(cat "$work/answer")"
    sent=$((sent + $(wc -l <"$batch")))
done
printf '%d incidents sent\n' "$sent"
