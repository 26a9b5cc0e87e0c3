#!/usr/bin/env bash
# Analyzes the crash evidence of a pipeline's run: dumps, event logs and logs that its tests left. For GitHub Actions, GitLab CI,
# Jenkins and any other that runs bash.
#
#   triage.sh OUT PATH...     writes OUT/report.json and OUT/report.md
#
# From the environment, all optional:
#   CRASHSIFT   the program (crashsift)
#   FAIL_ON     conditions of `--fail-on`, apart by spaces (any; with BASELINE: new)
#   BASELINE    the report.json of an earlier run, whose problems are known
#
# In GitHub Actions the report becomes the summary of the job, and each problem an annotation.
#
# Exit code: 0 no condition is met, or there is no evidence; 1 one is met; 2 called wrongly; others as crashsift ends.
set -euo pipefail

out=${1:?a folder for the reports}
shift
[ $# -gt 0 ] || { printf 'triage.sh: name the evidence\n' >&2; exit 2; }
program=${CRASHSIFT:-crashsift}
for tool in jq "$program"; do
    command -v "$tool" >/dev/null || { printf 'triage.sh: %s is not installed\n' "$tool" >&2; exit 2; }
done
mkdir -p "$out"

evidence=()
for path; do
    if [ -e "$path" ]; then evidence+=("$path"); fi
done
if [ ${#evidence[@]} -eq 0 ]; then
    printf 'no crash evidence: nothing crashed, or Windows wrote no dumps\n'
    exit 0
fi

options=() conditions=any
if [ -n "${BASELINE:-}" ] && [ -f "$BASELINE" ]; then
    options+=(--baseline "$BASELINE")
    conditions=new
fi
read -ra conditions <<<"${FAIL_ON:-$conditions}"
fail_on=()
for condition in "${conditions[@]}"; do fail_on+=(--fail-on "$condition"); done

code=0
"$program" analyze -q -f json "${options[@]}" "${fail_on[@]}" -o "$out/report.json" -- "${evidence[@]}" || code=$?
case $code in
    0 | 1) ;;
    4) printf 'no crash evidence that can be analyzed\n' && exit 0 ;;
    *) exit "$code" ;;
esac
"$program" analyze -q -f markdown "${options[@]}" -o "$out/report.md" -- "${evidence[@]}"

jq -r '"\(.summary.incidents) incidents, \(.groups | length) problems, \(.comparison.new_incidents // .summary.incidents) new"' \
    "$out/report.json" | tr -d '\r'

if [ "${GITHUB_ACTIONS:-}" = true ]; then
    # What is printed here is read by GitHub as commands. Names come from the evidence, so that everything is escaped as
    # GitHub's own toolkit does: a line break would begin another command.
    jq -r --arg level "$([ "$code" -eq 1 ] && echo error || echo warning)" '
        def data: gsub("%"; "%25") | gsub("\r"; "%0D") | gsub("\n"; "%0A");
        def property: data | gsub(":"; "%3A") | gsub(","; "%2C");
        .incidents | group_by(.signature.coarse)[:10][] | max_by(.verdict.confidence)
        | "::\($level) title=\(.process.name // .kind | property)::\(.verdict.sentence | data)"
    ' "$out/report.json" | tr -d '\r'
    # GitHub takes 1 MiB a step.
    if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then head -c 1000000 "$out/report.md" >>"$GITHUB_STEP_SUMMARY"; fi
fi
exit "$code"
