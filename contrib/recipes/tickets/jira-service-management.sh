#!/usr/bin/env bash
# Analyzes the attachments of a Jira Service Management request, and adds the report with an internal comment.
#
#   jira-service-management.sh KEY       for example: jira-service-management.sh HELP-42
#
# JIRA_URL (https://EXAMPLE.atlassian.net), JIRA_USER (the account's e-mail address) and JIRA_TOKEN (its API token) come from the
# environment. The account is an agent of the service project.
#
# Exit code: 0 the report is attached, 2 called wrongly or refused, 4 the attachments hold nothing that can be analyzed.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

key=${1:?a key, such as HELP-42}
need JIRA_URL JIRA_USER JIRA_TOKEN
site=${JIRA_URL%/}
secure "$site"
[[ $key =~ ^[A-Z][A-Z0-9_]*-[0-9]+$ ]] || die "not a key: $key"
credentials="user = $(quoted "$JIRA_USER:$JIRA_TOKEN")"
api=$site/rest/servicedeskapi
# Some versions of Data Center answer these calls only to those who opt in.
experimental='X-ExperimentalApi: opt-in'

desk=$(call GET "$api/request/$key" --header "$experimental" | jq -r '.serviceDeskId // empty')
[[ $desk =~ ^[0-9]+$ ]] || die "no request $key"

start=0 last=false
while [ "$last" != true ]; do
    call GET "$api/request/$key/attachment?start=$start&limit=50" --header "$experimental" >"$work/page.json"
    size=$(jq '.values | length' "$work/page.json")
    for ((at = 0; at < size; at++)); do
        name=$(jq -r --argjson at "$at" '.values[$at].filename' "$work/page.json")
        content=$(jq -r --argjson at "$at" '.values[$at]._links.content' "$work/page.json")
        # The address is the server's answer: the token goes to the site itself only.
        [[ $content == "$site"/* ]] || die "an attachment is not on $site: $content"
        is_own "$name" || download "$content" "$((start + at))" "$name" --config <(printf '%s\n' "$credentials")
    done
    last=$(jq -r 'if .isLastPage == false then false else true end' "$work/page.json")
    [ "$size" -gt 0 ] || last=true
    start=$((start + size))
done

analyze
call POST "$api/servicedesk/$desk/attachTemporaryFile" --header 'X-Atlassian-Token: no-check' --header "$experimental" \
    --form "file=@\"$work/crashsift-report.md\";type=text/markdown" >"$work/temporary.json"
jq --rawfile note "$work/note.txt" '{
    temporaryAttachmentIds: [.temporaryAttachments[].temporaryAttachmentId],
    public: false,
    additionalComment: {body: "{noformat}\n\($note){noformat}"}
}' "$work/temporary.json" |
    call POST "$api/request/$key/attachment" --header "$experimental" --header 'Content-Type: application/json' --data-binary @- >/dev/null
printf '%s: report attached\n' "$key"
