"""``python -m crashsift_spark EVIDENCE -o OUT``: one run of a fleet."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict

from .fleet import Fleet
from .reading import READER


def main() -> None:
    parser = argparse.ArgumentParser(prog="crashsift_spark", description=__doc__)
    parser.add_argument("evidence", help="folder with a folder for each machine, or its URL (s3://bucket/folder)")
    parser.add_argument("-o", "--out", required=True, help="folder for packed evidence, reports and tables")
    parser.add_argument("--master", help="Spark's master: local-cluster[2,1,1024]")
    parser.add_argument("--conf", action="append", default=[], metavar="KEY=VALUE", help="Spark's settings (repeatable)")
    parser.add_argument("--reader", default=READER, help=argparse.SUPPRESS)
    parser.add_argument("merge", nargs="*", help="after --: options of crashsift merge, such as --redact or --rules PATH")
    arguments = parser.parse_args()

    # Executors use the Python of this process, where the environment names no other.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("crashsift").config("spark.ui.showConsoleProgress", "false")
    if arguments.master:
        # This computer alone: nothing listens on the network.
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        builder = builder.master(arguments.master).config("spark.ui.enabled", "false")
        builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
    for setting in arguments.conf:
        builder = builder.config(*setting.split("=", 1))
    spark = builder.getOrCreate()
    try:
        run = Fleet(arguments.evidence, arguments.out, arguments.merge).run(spark, arguments.reader)
    finally:
        spark.stop()
    print(json.dumps(asdict(run), indent=1))


if __name__ == "__main__":
    main()
