#!/usr/bin/env bash
# Analyzes the attachments of a ServiceNow record, attaches the report and adds a work note.
#
#   servicenow.sh NUMBER [TABLE]        for example: servicenow.sh INC0010023 incident
#
# SERVICENOW_URL (https://EXAMPLE.service-now.com), SERVICENOW_USER and SERVICENOW_PASSWORD come from the environment. The user
# reads and writes the table and its attachments (role itil for incidents).
#
# Exit code: 0 the report is attached, 2 called wrongly or refused, 4 the attachments hold nothing that can be analyzed.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

number=${1:?a record number, such as INC0010023} table=${2:-incident}
need SERVICENOW_URL SERVICENOW_USER SERVICENOW_PASSWORD
site=${SERVICENOW_URL%/}
secure "$site"
[[ $number =~ ^[A-Z0-9]+$ && $table =~ ^[a-z0-9_]+$ ]] || die "not a number and a table: $number $table"
credentials="user = $(quoted "$SERVICENOW_USER:$SERVICENOW_PASSWORD")"

record=$(call GET "$site/api/now/table/$table?sysparm_query=number=$number&sysparm_fields=sys_id&sysparm_limit=1" | jq -r '.result[0].sys_id // empty')
[[ $record =~ ^[0-9a-f]{32}$ ]] || die "$table has no $number"

call GET "$site/api/now/attachment?sysparm_query=table_name=$table%5Etable_sys_id=$record&sysparm_limit=200" >"$work/attachments.json"
for ((at = 0; at < $(jq '.result | length' "$work/attachments.json"); at++)); do
    name=$(jq -r --argjson at "$at" '.result[$at].file_name' "$work/attachments.json")
    id=$(jq -r --argjson at "$at" '.result[$at].sys_id' "$work/attachments.json")
    [[ $id =~ ^[0-9a-f]{32}$ ]] || die "not an attachment: $id"
    is_own "$name" || download "$site/api/now/attachment/$id/file" "$at" "$name" --config <(printf '%s\n' "$credentials")
done

analyze
call POST "$site/api/now/attachment/file?table_name=$table&table_sys_id=$record&file_name=crashsift-report.md" \
    --header 'Content-Type: text/markdown' --data-binary "@$work/crashsift-report.md" >/dev/null
jq -n --rawfile note "$work/note.txt" '{work_notes: $note}' |
    call PATCH "$site/api/now/table/$table/$record?sysparm_fields=sys_id" --header 'Content-Type: application/json' --data-binary @- >/dev/null
printf '%s: report attached\n' "$number"
