#!/usr/bin/env bash
# Analyzes the attachments of a Zendesk ticket, and adds the report with an internal note.
#
#   zendesk.sh TICKET                    for example: zendesk.sh 35436
#
# ZENDESK_URL (https://EXAMPLE.zendesk.com), ZENDESK_USER (an agent's e-mail address) and ZENDESK_TOKEN (an API token) come from
# the environment.
#
# Exit code: 0 the report is attached, 2 called wrongly or refused, 4 the attachments hold nothing that can be analyzed.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

ticket=${1:?the number of a ticket}
need ZENDESK_URL ZENDESK_USER ZENDESK_TOKEN
site=${ZENDESK_URL%/}
secure "$site"
[[ $ticket =~ ^[0-9]+$ ]] || die "not the number of a ticket: $ticket"
credentials="user = $(quoted "$ZENDESK_USER/token:$ZENDESK_TOKEN")"

next="$site/api/v2/tickets/$ticket/comments.json?page[size]=100" count=0
while [ -n "$next" ]; do
    call GET "$next" >"$work/page.json"
    jq '[.comments[].attachments[]]' "$work/page.json" >"$work/attachments.json"
    for ((at = 0; at < $(jq length "$work/attachments.json"); at++)); do
        name=$(jq -r --argjson at "$at" '.[$at].file_name' "$work/attachments.json")
        content=$(jq -r --argjson at "$at" '.[$at].content_url' "$work/attachments.json")
        count=$((count + 1))
        is_own "$name" && continue
        # Attachments can be on another host: the token goes to the site itself only.
        case $content in
            "$site"/*) download "$content" "$count" "$name" --config <(printf '%s\n' "$credentials") ;;
            https://*) download "$content" "$count" "$name" ;;
            *) die "an attachment is at no https address: $content" ;;
        esac
    done
    next=$(jq -r 'if .meta.has_more then .links.next else "" end' "$work/page.json")
    [[ -z $next || $next == "$site"/* ]] || die "the next page is not on $site: $next"
done

analyze
token=$(call POST "$site/api/v2/uploads.json?filename=crashsift-report.md" --header 'Content-Type: text/markdown' \
    --data-binary "@$work/crashsift-report.md" | jq -r '.upload.token')
jq -n --rawfile note "$work/note.txt" --arg token "$token" '{ticket: {comment: {body: $note, public: false, uploads: [$token]}}}' |
    call PUT "$site/api/v2/tickets/$ticket.json" --header 'Content-Type: application/json' --data-binary @- >/dev/null
printf '%s: report attached\n' "$ticket"
