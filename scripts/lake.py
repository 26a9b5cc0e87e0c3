"""Reads the tables of `-f parquet` with pandas, DuckDB and Spark, and asks the questions of docs/fleet.

    lake.py samples LAKE REPORT.json       the tables have what the report has
    lake.py ask LAKE ANSWERS               DuckDB's answers are kept for Spark
    lake.py answers LAKE TRUTH ANSWERS     the same, and they agree with what happened in the made fleet
    lake.py spark LAKE ANSWERS             Spark gives the same answers
"""

import datetime
import decimal
import json
import math
import os
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
QUESTIONS = sorted((PROJECT / "docs" / "fleet").glob("[0-9]*.sql"))
DRIVER, FIXED = "32.0.15.7283", "32.0.15.7316"


def check(condition, what):
    if not condition:
        raise SystemExit(f"lake.py: {what}")


def plain(value):
    """A value of either engine as JSON has it; times in UTC, numbers with the digits that both engines agree in."""
    if isinstance(value, datetime.datetime):
        return (value.astimezone(datetime.timezone.utc) if value.tzinfo else value).strftime("%Y-%m-%dT%H:%M:%S")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, (float, decimal.Decimal)):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value


def duckdb_with(lake):
    import duckdb

    connection = duckdb.connect()
    views = (PROJECT / "docs" / "fleet" / "views.sql").read_text()
    connection.execute(views.replace("'lake/", f"'{lake}/"))
    return connection


def answers_of(connection):
    """The rows of each question, as dictionaries, by the number of its file."""
    answers = {}
    for question in QUESTIONS:
        found = connection.execute(question.read_text())
        columns = [column[0] for column in found.description]
        answers[question.name[:2]] = [dict(zip(columns, map(plain, row))) for row in found.fetchall()]
    return answers


def samples(lake, report):
    import pandas

    report = json.loads(Path(report).read_text())
    incidents = {incident["id"]: incident for incident in report["incidents"]}
    frame = pandas.read_parquet(f"{lake}/incidents", partitioning=None)
    check(len(frame) == len(incidents), f"pandas finds {len(frame)} incidents of {len(incidents)}")
    check(str(frame["time"].dtype).endswith("UTC]"), f"times are {frame['time'].dtype}")
    for row in frame.itertuples():
        check(row.cause == incidents[row.id]["verdict"]["cause"], f"{row.id}: {row.cause}")
    connection = duckdb_with(lake)
    count = lambda sql: connection.execute(sql).fetchone()[0]
    lists = {
        "evidence": [len(incident["evidence"]) for incident in incidents.values()],
        "frames": [len(incident.get("stack", [])) for incident in incidents.values()],
        "findings": [len(incident["findings"]) for incident in incidents.values()],
        "timeline": [len(machine["timeline"]) for machine in report["machines"]],
        "machines": [len(report["machines"])],
        "artifacts": [len(report["artifacts"])],
        "groups": [len(report["groups"])],
    }
    for table, lengths in lists.items():
        check(count(f"select count(*) from {table}") == sum(lengths), f"{table}: not {sum(lengths)} rows in DuckDB")
    check(count("select count(*) from evidence e anti join incidents i on i.id = e.incident") == 0, "evidence of no incident")
    check(count("select count(*) from incidents where day <> cast(time as date)") == 0, "an incident is in another day's folder")
    by_cause = dict(connection.execute("select cause, count(*) from incidents where cause <> 'undetermined' group by 1").fetchall())
    check(by_cause == report["summary"]["by_cause"], f"{by_cause}")
    print(f"pandas and DuckDB read {len(incidents)} incidents as the report has them; {len(answers_of(connection))} questions run")


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line]


class Truth:
    """What happened in the made fleet."""

    def __init__(self, folder):
        self.incidents = lines(folder / "incidents.jsonl")
        self.machines = lines(folder / "machines.jsonl")

    def of(self, **values):
        return [one for one in self.incidents if all(one.get(key) == value for key, value in values.items())]

    def hosts(self, **values):
        return {one["host"] for one in self.of(**values)}

    def of_pattern(self, pattern):
        return {machine["host"] for machine in self.machines if pattern in machine["patterns"]}


def ask(lake, kept):
    found = answers_of(duckdb_with(lake))
    Path(kept).write_text(json.dumps(found))
    return found


def answers(lake, truth, kept):
    found, truth = ask(lake, kept), Truth(Path(truth))
    for number, expected in EXPECTED.items():
        expected(found[number], truth)
    print(f"DuckDB: {len(EXPECTED)} questions answered as the made fleet's truth says")


# What the truth of the made fleet says to the answers, by the number of the question.


def has_dump(incident):
    return any(file.endswith(".dmp") for file in incident["files"])


def equal(found, true, what):
    check(found == true, f"{what}: {found}, in truth {true}")


def fails_most(rows, truth):
    """Damaged memory makes programs crash in many ways, each of which is a row, and not all are among those that are shown."""
    by_process = {}
    for one in truth.incidents:
        if one.get("process"):
            by_process.setdefault(one["process"], []).append(one["pattern"] != "bad-memory")
    for process, others in by_process.items():
        found = sum(row["incidents"] for row in rows if row["what"] == process)
        check(sum(others) <= found <= len(others), f"incidents of {process}: {found}, in truth {len(others)}, {sum(others)} with good memory")


def computers_first(rows, truth):
    weights = {"bugcheck": 5, "power-loss": 5, "hang": 2}
    true = {}
    for one in truth.incidents:
        if one["host"].startswith("LT-"):
            true[one["host"]] = true.get(one["host"], 0) + weights.get(one["kind"], 1)
    for row, weight in zip(rows, sorted(true.values(), reverse=True)):
        equal(row["weight"], weight, "the weight of the worst laptops")
        equal(row["weight"], true[row["host"]], f"the weight of {row['host']}")


def new_since_the_update(rows, truth):
    """Blue screens by the display driver are of two signatures, because the driver is known from dumps alone. Some few are not of the
    update: on its computers the truth has not whether they were before it."""
    updated, expected = truth.of_pattern("driver-update"), 0
    for with_dump in (True, False):
        stops = [one for one in truth.incidents if one.get("code") == "0x00000116" and has_dump(one) == with_dump]
        new = {one["host"] for one in stops if one["pattern"] == "driver-update"}
        others = {one["host"] for one in stops if one["pattern"] != "driver-update"}
        # Such a problem is in the answer whenever the others happened.
        if len(new) >= 3 and len(new) > 3 * len(others):
            expected += 1
            found = [row for row in rows if ("nvlddmkm.sys" in row["signature"]) == with_dump]
            check(len(found) == 1 and found[0]["incidents"] == len(stops), f"{found}, in truth {len(stops)} blue screens")
            check(len(new) <= found[0]["updated_hosts"] <= len(new | (others & updated)), f"{found}, in truth of {len(new)} computers")
            check(len(others - updated) <= found[0]["other_hosts"] <= len(others), f"{found}, in truth {len(others)} other computers")
    check(expected and all("0x00000116" in row["signature"] for row in rows), f"{rows}")


def did_the_fix_help(rows, truth):
    (row,) = rows
    equal(row["hosts"], len(truth.of_pattern("driver-fix")), "computers with the fix")
    check(row["before_fix"] > 10 and row["fewer_at_least"] > 0.5, f"{row}")


def rate(rows, truth):
    for row in rows:
        machines = sum(machine["host"].startswith(row["fleet"]) for machine in truth.machines)
        incidents = sum(one["host"].startswith(row["fleet"]) for one in truth.incidents)
        equal(row["hosts"], machines, f"computers {row['fleet']}")
        equal(row["incidents"], incidents, f"incidents of {row['fleet']}")
        check(row["at_least"] < row["per_1000_days"] < row["at_most"], f"{row}")
    check({row["fleet"] for row in rows} == {"LT", "DT"}, f"{rows}")


def third_party_modules(rows, truth):
    if rows or sum(map(has_dump, truth.of(pattern="overlay"))) >= 10:
        check(rows and (rows[0]["module"], rows[0]["process"]) == ("orrinoverlay64.dll", "viewer.exe"), f"{rows[:2]}")


def suspect_hardware(rows, truth):
    wrong = {row["host"] for row in rows} - truth.of_pattern("bad-memory")
    check(rows and not wrong, f"{rows[:1]}, of computers with good memory {wrong}")


def failing_drives(rows, truth):
    true = truth.hosts(pattern="bad-drive")
    found = {row["host"] for row in rows if row["unreadable_pages"]}
    check(found <= true and len(found) == min(20, len(true)), f"{found} and not {true}")


def per_week(rows, truth):
    true = {}
    for one in truth.incidents:
        day = datetime.date.fromisoformat(one["time"][:10])
        monday = (day - datetime.timedelta(days=day.weekday())).isoformat()
        true[monday] = true.get(monday, 0) + 1
    found = {}
    for row in rows:
        found[row["week"]] = found.get(row["week"], 0) + row["incidents"]
    for monday, incidents in true.items():
        equal(found.get(monday, 0), incidents, f"incidents of the week from {monday}")


def defects_of_programs(rows, truth):
    places = {(row["process"], row["fault_offset"]): row for row in rows}
    check(("ledger.exe", "0x12c40") in places and ("viewer.exe", "0x2b14c") in places, f"{list(places)}")
    equal(places["viewer.exe", "0x2b14c"]["hosts"], len(truth.hosts(pattern="overlay")), "computers with the overlay's crash")


def what_to_do(rows, truth):
    """Each of these problems has one cause for all its incidents, and so one first step, which no other problem has."""
    counted = [(row["hosts"], row["incidents"]) for row in rows]
    check(counted == sorted(counted, reverse=True), f"{counted} are in no order")
    problems = {
        "blue screens by the display driver": {"code": "0x00000116"},
        "bad drives": {"pattern": "bad-drive"},
        "losses of power": {"kind": "power-loss"},
        "codec64.dll": {"module": "codec64.dll"},
        "reportgen.dll": {"module": "reportgen.dll"},
    }
    for problem, values in problems.items():
        true = (len(truth.hosts(**values)), len(truth.of(**values)))
        check(true in counted or true[0] < counted[-1][0], f"no step for {problem}, in truth of computers and times {true}: {counted}")


def changes_before(rows, truth):
    found = {(row["failure"], DRIVER in row["change"]) for row in rows}
    check(("bugcheck", True) in found and ("power-loss", False) in found, f"{rows}")
    check(not any(FIXED in row["change"] and row["failure"] == "bugcheck" for row in rows), f"{rows}")


EXPECTED = {
    "01": fails_most,
    "02": computers_first,
    "03": new_since_the_update,
    "04": did_the_fix_help,
    "05": rate,
    "06": third_party_modules,
    "07": suspect_hardware,
    "08": failing_drives,
    "09": per_week,
    "10": defects_of_programs,
    "11": what_to_do,
    "12": changes_before,
}


def spark(lake, kept):
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    settings = {
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.shuffle.partitions": "2",
    }
    os.environ["TZ"] = "UTC"
    builder = SparkSession.builder.master("local[2]")
    for key, value in settings.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    tables = json.loads(Path(lake, "_crashsift.json").read_text())["tables"]
    for table in tables:
        session.read.parquet(f"{lake}/{table}").createOrReplaceTempView(table)
    expected = json.loads(Path(kept).read_text())
    for question in QUESTIONS:
        rows = [{key: plain(value) for key, value in row.asDict().items()} for row in session.sql(question.read_text()).collect()]
        check(rows == expected[question.name[:2]], f"{question.name}: Spark says {rows}, DuckDB {expected[question.name[:2]]}")
    session.stop()
    print(f"Spark: the same answers to {len(QUESTIONS)} questions")


if __name__ == "__main__":
    commands = {"samples": samples, "ask": ask, "answers": answers, "spark": spark}
    if len(sys.argv) < 2 or sys.argv[1] not in commands:
        raise SystemExit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])
