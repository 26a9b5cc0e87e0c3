#!/usr/bin/env bash
# Analyzes the evidence of a fleet and mails what is new against the last time.
#
#   weekly-diff.sh STATE PATH...
#
# STATE is a folder that the script keeps: report.json and report.md of the last run. From the environment: MAIL_FROM, MAIL_TO
# (several addresses apart by spaces), and how mail is sent: SMTP_URL (smtp://HOST:25, smtps://HOST:465; SMTP_USER and
# SMTP_PASSWORD where the server asks for them), else SENDMAIL (/usr/sbin/sendmail). MAIL_ALWAYS=1 also mails when nothing is new.
# CRASHSIFT is the program (crashsift). Needs bash, jq 1.6 or later, base64, and curl for SMTP_URL.
#
# The last report is only replaced once the mail is on its way: what a mail did not reach is new the next time.
#
# Exit code: 0 done, 2 called wrongly, others as crashsift or the mail program ends.
set -euo pipefail
umask 077

die() { printf 'weekly-diff.sh: %s\n' "$*" >&2 && exit 2; }
[ $# -gt 1 ] || die 'name a folder for the state and the evidence'
state=$1
shift
read -ra recipients <<<"${MAIL_TO:?}"
for address in "${MAIL_FROM:?}" "${recipients[@]}"; do
    [[ $address =~ ^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+$ ]] || die "not an address: $address"
done
mkdir -p "$state"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

baseline=()
[ ! -f "$state/report.json" ] || baseline=(--baseline "$state/report.json")
program=${CRASHSIFT:-crashsift}
"$program" analyze -q -f json --cache "$state/cache" "${baseline[@]}" -o "$work/report.json" -- "$@"
"$program" analyze -q -f markdown --cache "$state/cache" "${baseline[@]}" -o "$work/report.md" -- "$@"

# Without an earlier report, every problem is new.
jq -r --arg path "$(realpath "$state")/report.md" '
    def line: gsub("[\\p{Cc}\\p{Cf}]+"; " ");
    def count($one; $many): if . == 1 then "1 \($one)" else "\(.) \($many)" end;
    . as $whole
    | ([.incidents[] | {key: .id, value: .}] | from_entries) as $by_id
    | def group($signature): first($whole.groups[] | select(.signature == $signature));
    def headline:
        .signature as $signature
        | group($signature) as $group
        | ([$group.incidents[] | $by_id[.]] | max_by(.verdict.confidence)) as $one
        | "  \($one.process.name // $one.kind): \($one.verdict.sentence)" | line;
    def numbers: "    \(.incidents | count("incident"; "incidents")), \(.hosts | count("computer"; "computers") | if . == "0 computers" then "computer not known" else . end)"
        + (if .last then ", last \(.last)" else "" end);
    (.comparison.changes // [.groups[] | {signature, change: ["new"], now: {incidents: (.incidents | length), hosts, last}}]) as $changes
    | def section($title; filter): [$changes[] | select(filter)] | if . == [] then empty else
        "\($title) (\(length))", (.[0:20][] | if .now then headline, (.now | numbers) else "  \(.signature)" | line end),
        (if length > 20 then "  and \(length - 20) more" else empty end), "" end;
    "\(.comparison.new_incidents // .summary.incidents | count("new incident"; "new incidents")) in \(.summary.artifacts) files, \(.groups | length | count("problem"; "problems")) in all.",
    "",
    section("New"; .change | index("new")),
    section("More incidents"; .change | index("more")),
    section("Another verdict"; (.change | index("verdict-changed")) and (.change | index("more") | not)),
    section("Gone"; .change | index("gone")),
    (if .comparison and (.comparison.rulesets_before != .comparison.rulesets_now or .comparison.tool_before != .comparison.tool_now)
     then "The program or its rules changed: verdicts can differ though nothing happened.", "" else empty end),
    (if .summary.failed + .summary.partial > 0
     then "\(.summary.failed + .summary.partial) files could not be read whole.", "" else empty end),
    "The whole report: \($path)"
' "$work/report.json" >"$work/text"

new=$(jq '[.comparison.changes // [.groups[] | {change: ["new"]}] | .[] | select(.change | index("new"))] | length' "$work/report.json")
problems=problems
[ "$new" -ne 1 ] || problems=problem
if [ "$new" -eq 0 ] && [ "${MAIL_ALWAYS:-}" != 1 ]; then
    printf 'nothing new, no mail\n'
else
    {
        printf 'From: %s\r\nTo: %s\r\n' "$MAIL_FROM" "$(IFS=,; printf '%s' "${recipients[*]}")"
        printf 'Subject: Crashes: %d new %s, %s\r\n' "$new" "$problems" "$(date -u +%F)"
        printf 'Date: %s\r\nMessage-ID: <%s.%s@crashsift.invalid>\r\n' "$(LC_ALL=C date -uR)" "$(date -u +%s)" "$$"
        printf 'MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n'
        base64 -w 76 <"$work/text" | sed 's/$/\r/'
    } >"$work/mail"
    if [ -n "${SMTP_URL:-}" ]; then
        to=()
        for address in "${recipients[@]}"; do to+=(--mail-rcpt "$address"); done
        login=${SMTP_USER:-}:${SMTP_PASSWORD:-}
        login=${login//\\/\\\\}
        login=${login//\"/\\\"}
        # With a password, only through TLS.
        curl --config <([ -z "${SMTP_USER:-}" ] || printf 'user = "%s"\nssl-reqd\n' "$login") --silent --show-error \
            --max-time 120 --mail-from "$MAIL_FROM" "${to[@]}" --upload-file "$work/mail" -- "$SMTP_URL"
    else
        tr -d '\r' <"$work/mail" | "${SENDMAIL:-/usr/sbin/sendmail}" -t -oi
    fi
    printf '%d new %s, mail sent\n' "$new" "$problems"
fi
mv -- "$work/report.json" "$state/report.json"
mv -- "$work/report.md" "$state/report.md"
