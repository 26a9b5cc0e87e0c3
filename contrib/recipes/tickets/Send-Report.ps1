# Analyzes the attachments of a ticket, attaches the report and adds an internal note, as the three bash scripts beside it do.
# For Windows PowerShell 5.1 and PowerShell 7.
#
#   .\Send-Report.ps1 -System ServiceNow -Ticket INC0010023 [-Table incident]
#   .\Send-Report.ps1 -System JiraServiceManagement -Ticket HELP-42
#   .\Send-Report.ps1 -System Zendesk -Ticket 35436
#
# The environment has SERVICENOW_URL, SERVICENOW_USER, SERVICENOW_PASSWORD, or JIRA_URL, JIRA_USER, JIRA_TOKEN, or ZENDESK_URL,
# ZENDESK_USER, ZENDESK_TOKEN, and optionally CRASHSIFT, the program.
#
# Exit code: 0 the report is attached, 2 refused (1 is PowerShell's own, for wrong parameters), 4 the attachments hold nothing that can be analyzed.
param(
    [Parameter(Mandatory)][ValidateSet('ServiceNow', 'JiraServiceManagement', 'Zendesk')][string]$System,
    [Parameter(Mandatory)][ValidatePattern('^[A-Z0-9_-]+$')][string]$Ticket,
    [ValidatePattern('^[a-z0-9_]+$')][string]$Table = 'incident'
)
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
[Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
$utf8 = New-Object Text.UTF8Encoding($false)

function Get-Setting([string]$name) {
    $value = [Environment]::GetEnvironmentVariable($name)
    if ([string]::IsNullOrEmpty($value)) { throw ('set ' + $name) }
    return $value
}

# Asks and returns the answer as an object. Text is sent as UTF-8 bytes: Windows PowerShell sends strings as Latin-1.
function Invoke-Site([string]$method, [string]$path, [byte[]]$body, [string]$type, [hashtable]$more) {
    $headers = @{ Authorization = $script:Authorization; Accept = 'application/json' }
    if ($null -ne $more) { foreach ($key in $more.Keys) { $headers[$key] = $more[$key] } }
    $arguments = @{ Method = $method; Uri = ($script:Site + $path); Headers = $headers; UseBasicParsing = $true; TimeoutSec = 600 }
    if ($null -ne $body) { $arguments.Body = $body; $arguments.ContentType = $type }
    return Invoke-RestMethod @arguments
}

function ConvertTo-Body($value) { return , $utf8.GetBytes((ConvertTo-Json -InputObject $value -Depth 8 -Compress)) }

# Names of attachments come from strangers: what is special in a path of Windows or in a wildcard is replaced.
function Save-Attachment([string]$address, [int]$number, [string]$name) {
    if ($name.StartsWith('crashsift-report')) { return }
    $clean = $name -replace '[^\p{L}\p{N} ._()''-]', '_'
    if ($clean.Length -gt 60) { $clean = $clean.Substring($clean.Length - 60) }
    if ($clean.Trim(' .') -eq '') { $clean = '_' }
    $folder = Join-Path $evidence ([string]$number)
    $null = New-Item -ItemType Directory -Path $folder -Force
    $headers = @{}
    # The password goes to the site itself only.
    if ($address.StartsWith($script:Site + '/')) { $headers.Authorization = $script:Authorization }
    elseif (-not $address.StartsWith('https://')) { throw ('an attachment is at no https address: ' + $address) }
    Invoke-WebRequest -Uri $address -Headers $headers -OutFile (Join-Path $folder $clean) -UseBasicParsing -TimeoutSec 3600
}

# What ticket systems would act on is broken up: see note.jq.
function Get-Harmless([string]$text) {
    $text = $text -replace '[\p{Cc}\p{Cf}]+', ' '
    return $text -replace '(?i)\[(/?)code\]', '[ $1code]' -replace '\[~', '[ ~' -replace '(?i)\{noformat', '{ noformat'
}

function Get-Note([object[]]$incidents) {
    $rank = @{ critical = 4; high = 3; medium = 2 }
    $lines = @(('crashsift: {0} incidents' -f $incidents.Count))
    if ($incidents.Count -eq 0) { $lines += 'The files show no crash, hang or blue screen.' }
    $problems = @($incidents | Group-Object { $_.signature.coarse } | Sort-Object -Descending {
            $one = $_.Group | Sort-Object -Descending { [double]$_.verdict.confidence } | Select-Object -First 1
            10 * [int]$rank[[string]$one.verdict.severity] + [double]$one.verdict.confidence
        })
    foreach ($problem in ($problems | Select-Object -First 5)) {
        $one = $problem.Group | Sort-Object -Descending { [double]$_.verdict.confidence } | Select-Object -First 1
        $name = if ($one.process.name) { $one.process.name } else { $one.kind }
        $lines += ''
        $lines += Get-Harmless ('{0}: {1}' -f $name, $one.verdict.sentence)
        $lines += Get-Harmless ('   {0} times, cause: {1}, {2} ({3:0} %)' -f $problem.Count, $one.verdict.cause, $one.verdict.how_sure,
            (100 * [double]$one.verdict.confidence))
        $step = @($one.verdict.steps | Where-Object { $_.audience -eq 'helpdesk' }) + @($one.verdict.steps) | Select-Object -First 1
        if ($null -ne $step) { $lines += Get-Harmless ('   first step: ' + $step.text) }
        elseif ($one.verdict.collect_next) { $lines += Get-Harmless ('   collect next: ' + @($one.verdict.collect_next)[0]) }
        $lines += '   incident: ' + $one.id
    }
    if ($problems.Count -gt 5) { $lines += ('{0} more problems are in the attached report.' -f ($problems.Count - 5)) }
    return $lines -join "`n"
}

$names = @{
    ServiceNow = @('SERVICENOW_URL', 'SERVICENOW_USER', 'SERVICENOW_PASSWORD', '')
    JiraServiceManagement = @('JIRA_URL', 'JIRA_USER', 'JIRA_TOKEN', '')
    Zendesk = @('ZENDESK_URL', 'ZENDESK_USER', 'ZENDESK_TOKEN', '/token')
}[$System]
$work = Join-Path ([IO.Path]::GetTempPath()) ('crashsift-' + [Guid]::NewGuid().ToString('N'))
$evidence = Join-Path $work 'evidence'
$code = 2
try {
    $script:Site = (Get-Setting $names[0]).TrimEnd('/')
    if ($script:Site -notmatch '^(https://|http://(127\.0\.0\.1|localhost):)') { throw ('not an https address: ' + $script:Site) }
    $login = (Get-Setting $names[1]) + $names[3] + ':' + (Get-Setting $names[2])
    $script:Authorization = 'Basic ' + [Convert]::ToBase64String($utf8.GetBytes($login))
    $program = if ($env:CRASHSIFT) { $env:CRASHSIFT } else { 'crashsift' }
    $program = (Get-Command -Name $program -CommandType Application).Source | Select-Object -First 1
    $null = New-Item -ItemType Directory -Path $evidence
    $opt = @{ 'X-ExperimentalApi' = 'opt-in' }
    $number = 0

    if ($System -eq 'ServiceNow') {
        $found = Invoke-Site GET "/api/now/table/${Table}?sysparm_query=number=$Ticket&sysparm_fields=sys_id&sysparm_limit=1"
        $record = [string]@($found.result)[0].sys_id
        if ($record -notmatch '^[0-9a-f]{32}$') { throw ($Table + ' has no ' + $Ticket) }
        $list = Invoke-Site GET "/api/now/attachment?sysparm_query=table_name=$Table%5Etable_sys_id=$record&sysparm_limit=200"
        foreach ($one in $list.result) { Save-Attachment ($script:Site + '/api/now/attachment/' + $one.sys_id + '/file') ($number++) $one.file_name }
    } elseif ($System -eq 'JiraServiceManagement') {
        $desk = [string](Invoke-Site GET "/rest/servicedeskapi/request/$Ticket" -more $opt).serviceDeskId
        if ($desk -notmatch '^[0-9]+$') { throw ('no request ' + $Ticket) }
        do {
            $page = Invoke-Site GET "/rest/servicedeskapi/request/$Ticket/attachment?start=$number&limit=50" -more $opt
            foreach ($one in $page.values) {
                if (-not ([string]$one._links.content).StartsWith($script:Site + '/')) { throw 'an attachment is on another site' }
                Save-Attachment $one._links.content ($number++) $one.filename
            }
        } while ($page.isLastPage -eq $false -and @($page.values).Count -gt 0)
    } else {
        $next = "/api/v2/tickets/$Ticket/comments.json?page[size]=100"
        while ($next) {
            $page = Invoke-Site GET $next
            foreach ($comment in $page.comments) {
                foreach ($one in $comment.attachments) { Save-Attachment $one.content_url ($number++) $one.file_name }
            }
            $next = ''
            if ($page.meta.has_more) {
                if (-not ([string]$page.links.next).StartsWith($script:Site + '/')) { throw 'the next page is on another site' }
                $next = ([string]$page.links.next).Substring($script:Site.Length)
            }
        }
    }

    $report = Join-Path $work 'crashsift-report.md'
    $jsonl = Join-Path $work 'report.jsonl'
    Push-Location -LiteralPath $evidence
    try {
        & $program analyze -q --redact -f jsonl -o $jsonl .
        if ($LASTEXITCODE -eq 4) { $code = 4; throw 'the attachments hold nothing that can be analyzed' }
        if ($LASTEXITCODE -ne 0) { throw ('crashsift ended with ' + $LASTEXITCODE) }
        & $program analyze -q --redact -f markdown -o $report .
    } finally { Pop-Location }
    # Line by line: Windows PowerShell does not read JSON documents of more than 2 MB.
    $incidents = @([IO.File]::ReadAllLines($jsonl) | Where-Object { $_.StartsWith('{"type":"incident"') } | ForEach-Object { ConvertFrom-Json -InputObject $_ })
    $note = Get-Note $incidents
    $bytes = [IO.File]::ReadAllBytes($report)

    if ($System -eq 'ServiceNow') {
        $null = Invoke-Site POST "/api/now/attachment/file?table_name=$Table&table_sys_id=$record&file_name=crashsift-report.md" $bytes 'text/markdown'
        $null = Invoke-Site PATCH "/api/now/table/$Table/${record}?sysparm_fields=sys_id" (ConvertTo-Body @{ work_notes = $note }) 'application/json'
    } elseif ($System -eq 'JiraServiceManagement') {
        $boundary = [Guid]::NewGuid().ToString('N')
        $head = "--$boundary`r`nContent-Disposition: form-data; name=`"file`"; filename=`"crashsift-report.md`"`r`nContent-Type: text/markdown`r`n`r`n"
        $form = $utf8.GetBytes($head) + $bytes + $utf8.GetBytes("`r`n--$boundary--`r`n")
        $kept = Invoke-Site POST "/rest/servicedeskapi/servicedesk/$desk/attachTemporaryFile" $form "multipart/form-data; boundary=$boundary" `
            (@{ 'X-Atlassian-Token' = 'no-check' } + $opt)
        $ids = @($kept.temporaryAttachments | ForEach-Object { $_.temporaryAttachmentId })
        $body = @{ temporaryAttachmentIds = $ids; public = $false; additionalComment = @{ body = "{noformat}`n$note`n{noformat}" } }
        $null = Invoke-Site POST "/rest/servicedeskapi/request/$Ticket/attachment" (ConvertTo-Body $body) 'application/json' $opt
    } else {
        $upload = (Invoke-Site POST '/api/v2/uploads.json?filename=crashsift-report.md' $bytes 'text/markdown').upload.token
        $body = @{ ticket = @{ comment = @{ body = $note; public = $false; uploads = @($upload) } } }
        $null = Invoke-Site PUT "/api/v2/tickets/$Ticket.json" (ConvertTo-Body $body) 'application/json'
    }
    Write-Host ($Ticket + ': report attached')
    $code = 0
} catch {
    [Console]::Error.WriteLine('Send-Report.ps1: ' + $_.Exception.Message)
} finally {
    Remove-Item -LiteralPath $work -Recurse -Force -ErrorAction SilentlyContinue
}
exit $code
