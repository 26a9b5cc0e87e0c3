# A short note for a ticket, plain text, of a report of `crashsift analyze -f json`.
# The texts hold names from the evidence. What ticket systems would act on is broken up: ServiceNow prints what is
# between [code] and [/code] as HTML, Jira notifies the user of [~name] and ends a verbatim block at {noformat}.

def harmless:
  gsub("[\\p{Cc}\\p{Cf}]+"; " ")
  | gsub("\\[(?<end>/?)code\\]"; "[ \(.end)code]"; "i")
  | gsub("\\[~"; "[ ~")
  | gsub("\\{noformat"; "{ noformat"; "i");

def rank: {"critical": 4, "high": 3, "medium": 2}[.verdict.severity // ""] // 1;

def percent: "\(. * 100 | round) %";

# What to do first, or to collect where no cause is known.
def next:
  ([.verdict.steps[]? | select(.audience == "helpdesk")] + [.verdict.steps[]?])[0].text as $step
  | if $step then ["   first step: \($step)"] else [] end
  + if (.verdict.cause == "undetermined" or .verdict.symptom) and .verdict.collect_next[0]
    then ["   collect next: \(.verdict.collect_next[0])"] else [] end;

def problem($number):
  (sort_by(-rank, -.verdict.confidence)[0]) as $one
  | ([.[].host // empty] | unique) as $hosts
  | ($one.process.name // $one.kind) as $name
  | "\($number). " + (if $one.verdict.sentence | startswith($name) then "" else "\($name): " end) + $one.verdict.sentence,
    ("   \(length) times, " | if startswith("   1 times") then "   once, " else . end)
      + (if $hosts == [] then "computer not known" elif ($hosts | length) == 1 then "on \($hosts[0])"
         else "on \($hosts | length) computers" end)
      + ([.[].time // empty] | max | if . then ", last \(.)" else "" end),
    "   cause: \($one.verdict.cause)"
      + (if $one.verdict.cause == "undetermined" then ""
         else ", \($one.verdict.how_sure // "sure to") (\($one.verdict.confidence | percent))" end),
    ($one | next[]),
    "   incident: \($one.id)";

(.incidents | group_by(.signature.coarse) | sort_by(-(map(rank) | max), -(map(.verdict.confidence) | max))) as $problems
| [
    "crashsift \(.tool.version): \(.summary.incidents) incidents, \($problems | length) problems in \(.summary.artifacts) files",
    (if .summary.failed + .summary.partial > 0
     then "\(.summary.failed + .summary.partial) files could not be read whole" else empty end),
    (if $problems == [] then "", "The files show no crash, hang or blue screen." else empty end),
    (range($problems[0:5] | length) as $at | "", ($problems[$at] | problem($at + 1))),
    (if ($problems | length) > 5 then "", "\(($problems | length) - 5) more problems are in the attached report." else empty end)
  ]
| map(harmless) | join("\n")
