"""What several steps share: names of inputs, and what a command printed."""

import json

FORMATS = ["text", "json", "jsonl", "csv", "markdown", "html"]
# The formats in which `-v` shows more.
FOR_READING = ["text", "markdown", "html"]
# The day by which `rules check` finds suppressions that ended.
TODAY = ["--today", "2027-01-31"]
SITE = "tests/command_line/site.yaml"
DEMO = "tests/rule_sets/demo"
OVERLAYS = ["override", "disable", "suppress"]
SIGMA = "sigma:own/sigma"
STACK_OVERFLOW = "samples/stack-overflow/python.exe.5316.dmp"


def children(folder):
    return sorted(folder.iterdir()) if folder.is_dir() else []


def folders(folder):
    return [path for path in children(folder) if path.is_dir()]


def relative(root, path):
    return str(path.relative_to(root))


def document(run):
    """The JSON document that a command printed; an empty one where it printed none."""
    try:
        return json.loads(run.stdout)
    except ValueError:
        return {}


def incidents(run):
    return [incident["id"] for incident in document(run).get("incidents", [])]


def incident_option(report):
    """What makes `rules new` draft a rule for the report's last incident."""
    return [option for incident in report.get("incidents", [])[-1:] for option in ["--incident", incident["id"]]]
