#!/usr/bin/env bash
# Runs the scripts of contrib/recipes against stand-ins of their other sides (scripts/recipes/stand_in.py). Needs bash, curl, jq
# and python3; what else is missing is skipped and said so. CRASHSIFT is the program (target/debug/crashsift).
# Usage: scripts/recipes.sh [NAME...]      all recipes, or those named
# Exit code: 0 all run as they should, 1 one does not.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD

for tool in curl jq python3; do
    command -v "$tool" >/dev/null || { printf 'skipped: no %s (apt-get install %s)\n' "$tool" "$tool" && exit 0; }
done
CRASHSIFT=${CRASHSIFT:-${CARGO_TARGET_DIR:-target}/debug/crashsift}
CRASHSIFT=$(realpath -m -- "$CRASHSIFT")
export CRASHSIFT
[ -x "$CRASHSIFT" ] || { printf 'recipes.sh: no program: cargo build, or set CRASHSIFT\n' >&2 && exit 1; }

temporary=$(mktemp -d)
stand_ins=()
cleanup() {
    for pid in "${stand_ins[@]}"; do kill "$pid" 2>/dev/null || true; done
    rm -rf "$temporary"
}
trap cleanup EXIT

# Every script runs in this folder: a name that is evaluated would make the file `pwned` here.
work=$temporary/work
mkdir "$work"
cd "$work"

# Evidence in a folder with a name as strangers give them.
evidence="$temporary/O'Brien \"the 2nd\" \$(touch pwned) & co"
mkdir "$evidence"
cp "$root/samples/delay-load-zlibwapi/python.exe.2980.dmp" "$evidence/it's a \"dump\" \$(touch pwned); x.dmp"
cp -r "$root/samples/same-place-on-three-machines" "$evidence/three machines"
printf '%s\n' 'Faulting application name: ledger.exe, version: 1.0.0.0' 'Faulting module name: other.dll, version: 1.0.0.0' \
    'Exception code: 0xc0000005' 'Fault offset: 0x0000000000001234' >"$evidence/ticket.txt"
dump="$evidence/it's a \"dump\" \$(touch pwned); x.dmp"
log="$evidence/three machines/PC-17.evtx"

# The program, with zlibwapi.dll under a name that would be a command of GitHub, HTML in ServiceNow, and in Jira would notify
# somebody and end a verbatim block.
hostile=$temporary/program
export REAL_CRASHSIFT=$CRASHSIFT
cat >"$hostile" <<'PROGRAM'
#!/usr/bin/env bash
code=0 file=
for ((at = 1; at < $#; at++)); do [ "${!at}" != -o ] || { next=$((at + 1)) && file=${!next}; }; done
name='zlib\\n::set-env name=X::[code]<b>[/code][~admin]{noformat}%0A.dll'
output=$("$REAL_CRASHSIFT" "$@") || code=$?
[ -z "$output" ] || sed "s|zlibwapi[.]dll|$name|g" <<<"$output"
[ -z "$file" ] || [ ! -e "$file" ] || sed -i "s|zlibwapi[.]dll|$name|g" "$file"
exit $code
PROGRAM
chmod +x "$hostile"

recipes=$root/contrib/recipes
failed=0

fail() { printf '    %.2000s\n' "$*" >&2 && return 1; }
skip() { printf '    skipped: %s\n' "$*"; }

# start SERVICE FOLDER [FILE...]: starts a stand-in; `port` is its port.
start() {
    local service=$1 folder=$temporary/$2
    shift 2
    mkdir -p "$folder"
    : >"$folder/problems"
    python3 "$root/scripts/recipes/stand_in.py" "$service" "$folder" "$@" &
    stand_ins+=($!)
    for _ in {1..200}; do
        if [ -f "$folder/port" ]; then port=$(cat "$folder/port") && return; fi
        sleep 0.05
    done
    fail "no stand-in for $service"
}

# good FOLDER: whether the stand-in found no problem.
good() {
    [ ! -s "$temporary/$1/problems" ] || fail "not as documented: $(cat "$temporary/$1/problems")"
}

# calls FOLDER CALL...: whether these were the requests.
calls() {
    local folder=$1 found
    shift
    found=$(jq -r '"\(.method) \(.path | sub("(?<at>^/secure/attachment/[0-9]+/)[\\s\\S]*"; "\(.at)NAME"))"' "$temporary/$folder/requests.jsonl")
    [ "$found" = "$(printf '%s\n' "$@")" ] || fail "other requests: $found"
}

# ends CODE COMMAND...: whether the command ends with the exit code; its output is in `output`.
ends() {
    local code=$1 found=0
    shift
    output=$("$@" 2>&1) || found=$?
    [ "$found" -eq "$code" ] || fail "exit code $found, not $code: $* : $output"
}

secret='p"a\ss word'
export SERVICENOW_USER=agent@example.com SERVICENOW_PASSWORD=$secret JIRA_USER=agent@example.com JIRA_TOKEN=$secret
export ZENDESK_USER=agent@example.com ZENDESK_TOKEN=$secret
record=9d385017c611228701d22104cc95c371

servicenow_calls() {
    good "$1" && calls "$1" 'GET /api/now/table/incident' 'GET /api/now/attachment' \
        "GET /api/now/attachment/$(printf %032x 0)/file" "GET /api/now/attachment/$(printf %032x 1)/file" \
        'POST /api/now/attachment/file' "PATCH /api/now/table/incident/$record"
}
jira_calls() {
    local api=/rest/servicedeskapi
    good "$1" && calls "$1" "GET $api/request/HELP-42" "GET $api/request/HELP-42/attachment" 'GET /secure/attachment/0/NAME' \
        "GET $api/request/HELP-42/attachment" 'GET /secure/attachment/1/NAME' "POST $api/servicedesk/7/attachTemporaryFile" \
        "POST $api/request/HELP-42/attachment"
}
zendesk_calls() {
    good "$1" && calls "$1" 'GET /api/v2/tickets/35436/comments.json' 'GET /attachments/token/0/' \
        'GET /api/v2/tickets/35436/comments.json' 'GET /attachments/token/1/' 'POST /api/v2/uploads.json' 'PUT /api/v2/tickets/35436.json'
}

servicenow() {
    start servicenow servicenow "$dump" "$log"
    export SERVICENOW_URL=http://127.0.0.1:$port/
    CRASHSIFT=$hostile ends 0 "$recipes/tickets/servicenow.sh" INC0010023
    servicenow_calls servicenow
    jq -e -s '.[-1].body | fromjson.work_notes | contains("zlib") and contains("[ code]<b>[ /code]")' "$temporary/servicenow/requests.jsonl" >/dev/null ||
        fail "the work note is not as it should be"
    ends 2 env SERVICENOW_URL=http://service-now.example "$recipes/tickets/servicenow.sh" INC0010023
    ends 2 "$recipes/tickets/servicenow.sh" 'INC1^ORnumber=INC2'
    start servicenow servicenow-nothing
    SERVICENOW_URL=http://127.0.0.1:$port ends 4 "$recipes/tickets/servicenow.sh" INC0010023
}

jira_service_management() {
    start jira-service-management jira "$dump" "$log"
    export JIRA_URL=http://127.0.0.1:$port
    CRASHSIFT=$hostile ends 0 "$recipes/tickets/jira-service-management.sh" HELP-42
    jira_calls jira
    jq -e -s '.[-1].body | fromjson.additionalComment.body | contains("zlib") and contains("[ ~admin]{ noformat}")' "$temporary/jira/requests.jsonl" >/dev/null ||
        fail "the comment is not as it should be"
    # An answer that names another site gets no token.
    start files jira-stranger "$dump"
    export STRANGER=http://127.0.0.1:$port
    start jira-service-management jira-asked "$dump"
    unset STRANGER
    JIRA_URL=http://127.0.0.1:$port ends 2 "$recipes/tickets/jira-service-management.sh" HELP-42
    [ ! -e "$temporary/jira-stranger/requests.jsonl" ] || fail 'the stranger was asked'
}

zendesk() {
    start zendesk zendesk "$dump" "$log"
    export ZENDESK_URL=http://127.0.0.1:$port
    CRASHSIFT=$hostile ends 0 "$recipes/tickets/zendesk.sh" 35436
    zendesk_calls zendesk
}

# The same in PowerShell.
tickets_powershell() {
    command -v pwsh >/dev/null || { skip 'Send-Report.ps1: no pwsh' && return; }
    start servicenow servicenow-ps "$dump" "$log"
    SERVICENOW_URL=http://127.0.0.1:$port ends 0 pwsh -NoProfile -File "$recipes/tickets/Send-Report.ps1" -System ServiceNow -Ticket INC0010023
    servicenow_calls servicenow-ps
    start jira-service-management jira-ps "$dump" "$log"
    JIRA_URL=http://127.0.0.1:$port ends 0 pwsh -NoProfile -File "$recipes/tickets/Send-Report.ps1" -System JiraServiceManagement -Ticket HELP-42
    jira_calls jira-ps
    start zendesk zendesk-ps "$dump" "$log"
    ZENDESK_URL=http://127.0.0.1:$port ends 0 pwsh -NoProfile -File "$recipes/tickets/Send-Report.ps1" -System Zendesk -Ticket 35436
    zendesk_calls zendesk-ps
}

# A repository as the pages of the pipelines describe it, with crashes in it; the program is downloaded from a stand-in.
repository() {
    local folder=$temporary/repository-$1
    mkdir -p "$folder/ci"
    cp -r "$recipes/ci" "$folder/ci/crashsift"
    cp -r "$evidence" "$folder/crashes"
    start files "files-$1" "$hostile"
    export CRASHSIFT_URL=http://127.0.0.1:$port/program
    CRASHSIFT_SHA256=$(sha256sum "$hostile" | cut -d' ' -f1)
    export CRASHSIFT_SHA256
    cd "$folder"
}

# The commands of a pipeline's file.
github_commands() { awk '/- name: Why did it crash/ { step = 1 } step && /run: \|/ { run = 1; next } run && /^          / { print substr($0, 11); next } run { exit }' "$1"; }
gitlab_commands() { awk '/^  script:/ { script = 1; next } script && /^    - / { print substr($0, 7); next } script { exit }' "$1"; }
jenkins_commands() { sed -n "s/.*returnStatus: true, script: '\(.*\)').*/\1/p" "$1"; }

github_actions() {
    repository github
    github_commands "$recipes/ci/github-actions.yml" >run.sh
    [ "$(wc -l <run.sh)" -eq 2 ] || fail 'not the commands of the workflow'
    : >summary
    local -x CRASHSIFT=./crashsift.exe BASELINE=ci/crashsift/baseline.json GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=$PWD/summary
    # How GitHub runs `shell: bash`.
    ends 1 bash --noprofile --norc -eo pipefail run.sh
    jq -e '.incidents | length == 5' crash-report/report.json >/dev/null || fail 'not all incidents'
    grep -q zlib summary || fail 'no summary of the job'
    grep -q '^::error title=python.exe::.*zlib' <<<"$output" || fail "no annotation: $output"
    [ "$(grep -c '^::' <<<"$output")" -eq "$(grep -c '^::error title=[^:]*::' <<<"$output")" ] || fail "another command of GitHub: $output"
    grep -q 'zlib%0A::set-env.*%250A' <<<"$output" || fail "not escaped: $output"
    # Crashes that are known do not fail it.
    cp crash-report/report.json ci/crashsift/baseline.json
    ends 0 bash --noprofile --norc -eo pipefail run.sh
    # Another file than the expected one is not run.
    CRASHSIFT_SHA256=$(printf x | sha256sum | cut -d' ' -f1) ends 1 bash --noprofile --norc -eo pipefail run.sh
    grep -q 'not the expected file' <<<"$output" || fail "$output"
    fits vendor.github-workflows "$recipes/ci/github-actions.yml"
}

# Whether a pipeline's file is as its schema wants it: fits SCHEMA FILE [OPTION...]
fits() {
    local schema=$1 file=$2
    shift 2
    if command -v check-jsonschema >/dev/null; then
        ends 0 check-jsonschema --builtin-schema "$schema" "$@" "$file"
    else
        skip "the schema of ${file##*/}: no check-jsonschema (pip install check-jsonschema)"
    fi
}

gitlab_ci() {
    repository gitlab
    gitlab_commands "$recipes/ci/gitlab-ci.yml" >run.sh
    [ "$(wc -l <run.sh)" -eq 2 ] || fail 'not the commands of the job'
    local -x CRASHSIFT=./crashsift BASELINE=ci/crashsift/baseline.json
    # How a runner runs a script.
    ends 1 bash -c 'set -eo pipefail; . ./run.sh'
    grep -q '^5 incidents, ' <<<"$output" || fail "$output"
    ! grep -q '^::' <<<"$output" || fail "$output"
    [ -s crash-report/report.md ] || fail 'no report'
    # Without crashes the job is well.
    rm -rf crashes
    ends 0 bash -c 'set -eo pipefail; . ./run.sh'
    mkdir crashes
    ends 0 bash -c 'set -eo pipefail; . ./run.sh'
    fits vendor.gitlab-ci "$recipes/ci/gitlab-ci.yml" --data-transform gitlab-ci
}

jenkins() {
    repository jenkins
    jenkins_commands "$recipes/ci/Jenkinsfile" >run.sh
    [ "$(wc -l <run.sh)" -eq 1 ] || fail 'not the command of the stage'
    # How Jenkins runs `sh`.
    ends 1 sh -xe run.sh
    [ -s crash-report/report.json ] || fail 'no report'
    FAIL_ON=unknown-cause-of-nothing ends 2 sh -xe run.sh
    skip 'the Jenkinsfile itself: no Jenkins'
}

splunk() {
    start splunk splunk
    local -x SPLUNK_HEC_URL=http://127.0.0.1:$port SPLUNK_HEC_TOKEN=12345678-1234-1234-1234-1234567890AB SPLUNK_INDEX=crashes
    "$CRASHSIFT" analyze -q -f jsonl "$evidence" "$root/samples" >"$temporary/report.jsonl"
    ends 0 "$recipes/splunk/send.sh" "$evidence" "$root/samples"
    good splunk
    [ "$output" = "$(grep -c '^{"type":"incident"' "$temporary/report.jsonl") incidents sent" ] || fail "$output"
    # More than one batch, and no event twice.
    jq -e -s 'length > 1' "$temporary/splunk/requests.jsonl" >/dev/null || fail 'one batch only'
    jq -r .body "$temporary/splunk/requests.jsonl" | jq -r .event.id | sort | uniq -d | grep -q . && fail 'an event twice'
    jq -r .body "$temporary/splunk/requests.jsonl" | jq -e -s 'any(.time == ("2024-05-06T08:33:19Z" | fromdate) and .index == "crashes" and
        .event.verdict.cause == "missing-dependency" and (.event | has("stack") | not)) and any(.host == "PC-17")' >/dev/null || fail 'not the fields'
    SPLUNK_HEC_TOKEN=00000000-0000-0000-0000-000000000000 ends 2 "$recipes/splunk/send.sh" "$evidence"
    splunk_files
}

# The expressions of the .conf files, on a file as it would lie there.
splunk_files() {
    python3 - "$recipes/splunk" "$temporary/report.jsonl" <<'PYTHON' || fail 'not what the .conf files expect'
import configparser, datetime, json, re, sys

def conf(name):
    parser = configparser.RawConfigParser(delimiters=("=",))
    parser.optionxform = str
    parser.read(f"{sys.argv[1]}/{name}.conf")
    return parser

props, transforms, inputs = conf("props")["crashsift:jsonl"], conf("transforms"), conf("inputs")
assert [section["sourcetype"] for name, section in inputs.items() if name != "DEFAULT"] == ["crashsift:jsonl"]
left_out = re.compile(transforms[props["TRANSFORMS-crashsift"]]["REGEX"])
prefix, timed = re.compile(props["TIME_PREFIX"]), 0
lines = [line for line in re.split(props["LINE_BREAKER"], open(sys.argv[2], encoding="utf-8").read()) if line.strip()]
for line in lines:
    value = json.loads(line)
    assert (value["type"] != "incident") == bool(left_out.match(line)), line[:80]
    if value["type"] == "incident" and "time" in value:
        end = prefix.match(line).end()
        text = line[end:end + int(props["MAX_TIMESTAMP_LOOKAHEAD"])]
        assert datetime.datetime.strptime(text, props["TIME_FORMAT"]).isoformat() == value["time"][:19], text
        timed += 1
assert timed > 50
PYTHON
}

elastic() {
    start elastic elastic
    local -x ELASTIC_URL=http://127.0.0.1:$port ELASTIC_API_KEY=VnVhQ2ZHY0JDZGJrUW0tZTVhT3g6dWkybHAyYXhUTm1zeWFrdzl0dk5udw==
    ends 0 "$recipes/elastic/send.sh" --template
    ends 0 "$recipes/elastic/send.sh" "$evidence" "$root/samples/fleet"
    good elastic
    jq -r 'select(.method == "POST").body' "$temporary/elastic/requests.jsonl" | jq -r '.index._id // empty' | sort >"$temporary/ids"
    "$CRASHSIFT" analyze -q -f json "$evidence" "$root/samples/fleet" | jq -r '.incidents[].id' | sort | cmp -s - "$temporary/ids" || fail 'other incidents'
    jq -r 'select(.method == "POST").body' "$temporary/elastic/requests.jsonl" | jq -e -s 'any(.["@timestamp"] == "2024-05-06T08:33:19Z" and
        (.message | contains("zlibwapi.dll")) and .process.name == "python.exe" and .error.code == "0xC06D007E" and
        .crashsift.cause == "missing-dependency" and .crashsift.time_known and .event.severity == 3)' >/dev/null || fail 'not the fields'
    ELASTIC_API_KEY=wrong ends 2 "$recipes/elastic/send.sh" "$evidence"
}

sentry() {
    start sentry sentry
    SENTRY_DSN=http://0123456789abcdef0123456789abcdef@127.0.0.1:$port/42 ends 0 "$recipes/sentry/send.sh" "$evidence" "$root/samples/stack-overflow"
    good sentry
    [[ $output == *'6 incidents sent' ]] || fail "$output"
    # One was put off and came again.
    [ "$(wc -l <"$temporary/sentry/requests.jsonl")" -eq 7 ] || fail 'not every incident once'
    # The third line of an envelope is the event. The frame that crashed is the last one.
    jq -c '.body | split("\n")[2] | fromjson' "$temporary/sentry/requests.jsonl" | jq -e -s 'any(.level == "error" and
        .timestamp == "2024-05-06T08:33:19Z" and .tags.cause == "missing-dependency" and .fingerprint[0] == "crashsift" and
        (.exception.values[0] | (.value | contains("zlibwapi.dll")) and .stacktrace.frames[-1].package == "KERNELBASE.dll"))' \
        >/dev/null || fail 'not the fields'
    SENTRY_DSN=https://example.com/42 ends 2 "$recipes/sentry/send.sh" "$evidence"
}

intune() {
    SHARE="\\\\server\\it's evidence\$" ends 0 "$recipes/intune/build.sh" "$temporary/intune" --days 14
    grep -Fxq "\$Share = '\\\\server\\it''s evidence\$'" "$temporary/intune/remediate.ps1" || fail 'not the share'
    # The script inside is the one of the program, byte for byte.
    awk '/^\$Collect = @.$/ { inside = 1; next } /^.@$/ { inside = 0 } inside' "$temporary/intune/remediate.ps1" |
        cmp -s - <("$CRASHSIFT" collect-script --days 14 | tr -d '\r') || fail 'not the collection script'
    ! grep -lP '[^\x00-\x7f]' "$temporary"/intune/*.ps1 || fail 'not ASCII: Windows PowerShell would read it in its own code page'
    if command -v pwsh >/dev/null; then
        local script
        for script in "$temporary"/intune/*.ps1 "$recipes"/*/*.ps1; do
            SCRIPT=$script ends 0 pwsh -NoProfile -Command '$e = $null; [void][Management.Automation.Language.Parser]::ParseFile($env:SCRIPT, [ref]$null, [ref]$e); if ($e) { $e; exit 1 }'
        done
    else
        skip 'the syntax of *.ps1: no pwsh'
    fi
    skip 'detection and remediation: no Windows'
}

weekly_diff() {
    local fleet=$temporary/fleet state=$temporary/state mails=$temporary/mail/mails.jsonl
    start mail mail
    mkdir "$fleet"
    cp -r "$evidence" "$fleet/"
    local -x MAIL_FROM=crashsift@example.com MAIL_TO='support@example.com boss@example.com' SMTP_URL=smtp://127.0.0.1:$port
    # A mail that is refused changes nothing.
    MAIL_TO='refused@example.com' ends 55 "$recipes/weekly-diff/weekly-diff.sh" "$state" "$fleet"
    [ ! -e "$state/report.json" ] || fail 'the state changed without a mail'
    ends 0 "$recipes/weekly-diff/weekly-diff.sh" "$state" "$fleet"
    ends 0 "$recipes/weekly-diff/weekly-diff.sh" "$state" "$fleet"
    [ "$output" = 'nothing new, no mail' ] || fail "$output"
    cp "$root/samples/stack-overflow/python.exe.5316.dmp" "$fleet/-new \$(touch pwned).dmp"
    ends 0 "$recipes/weekly-diff/weekly-diff.sh" "$state" "$fleet"
    [ "$output" = '1 new problem, mail sent' ] || fail "$output"
    good mail
    jq -e -s 'length == 2 and all(.recipients == ["support@example.com", "boss@example.com"]) and
        (.[0].text | contains("zlibwapi.dll")) and (.[1].text | contains("New (1)") and contains("python.exe") and (contains("zlibwapi") | not))' \
        "$mails" >/dev/null || fail "other mails: $(cat "$mails")"
    # With sendmail.
    printf '#!/bin/sh\nprintf "%%s\\n" "$*" >"%s/sendmail"\ncat >>"%s/sendmail"\n' "$temporary" "$temporary" >"$temporary/program-sendmail"
    chmod +x "$temporary/program-sendmail"
    SMTP_URL='' MAIL_ALWAYS=1 SENDMAIL=$temporary/program-sendmail ends 0 "$recipes/weekly-diff/weekly-diff.sh" "$state" "$fleet"
    [ "$(head -1 "$temporary/sendmail")" = '-t -oi' ] || fail 'other arguments for sendmail'
    grep -q '^Subject: Crashes: 0 new' "$temporary/sendmail" || fail 'not the mail'
    MAIL_TO='a@example.com, -oQ/tmp' ends 2 "$recipes/weekly-diff/weekly-diff.sh" "$state" "$fleet"
    if command -v systemd-analyze >/dev/null; then
        ends 0 systemd-analyze calendar "$(sed -n 's/^OnCalendar=//p' "$recipes/weekly-diff/crashsift-weekly.timer")"
    else
        skip 'the timer: no systemd-analyze'
    fi
}

# Each file is shell, and nothing in it is evaluated.
scripts() {
    local script
    for script in "$recipes"/*/*.sh; do
        bash -n "$script" || fail "$script"
        ! grep -nE '\beval\b|`' "$script" | grep -v '^[0-9]*: *#' || fail "$script evaluates"
    done
    if command -v shellcheck >/dev/null; then shellcheck -x -P SCRIPTDIR "$recipes"/*/*.sh; else skip 'shellcheck: not installed'; fi
}

all=(scripts github_actions gitlab_ci jenkins servicenow jira_service_management zendesk tickets_powershell splunk elastic sentry intune weekly_diff)
[ $# -eq 0 ] || all=("$@")
for recipe in "${all[@]}"; do
    printf '%s\n' "${recipe//_/-}"
    # In a shell of its own, because of `set -e`, variables and the folder; its stand-ins end with it.
    set +e
    (set -e; stand_ins=(); trap 'for pid in "${stand_ins[@]}"; do kill "$pid"; done' EXIT; "$recipe")
    code=$?
    set -e
    if [ "$code" -ne 0 ]; then
        printf '    failed\n'
        failed=1
    fi
done
[ -z "$(find "$temporary" -name pwned)" ] || { printf 'a name was evaluated\n' && failed=1; }
exit "$failed"
