"""The functions of crashsift_spark on other engines than Spark: scripts/fleet/check.py compares what they read.

    engines.py sail|daft EVIDENCE OUT.parquet     walks and reads the folders of machines
"""

import os
import sys

import pyarrow
import pyarrow.parquet
from crashsift_spark import reading, walking
from crashsift_spark.fleet import EVIDENCE, MANIFEST, UNITS, ddl, units


def sail(machines):
    """As Sail reads them, which is a server of Spark Connect."""
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    server = SparkConnectServer("127.0.0.1", 0)
    server.start()
    spark = SparkSession.builder.remote(f"sc://127.0.0.1:{server.listening_address[1]}").getOrCreate()
    found = spark.createDataFrame(machines).repartition(4).mapInArrow(walking(), ddl(MANIFEST))
    read = found.repartition(4, "machine").mapInArrow(reading(), ddl(EVIDENCE)).toArrow()
    spark.stop()
    server.stop()
    return read


def daft(machines):
    """As Daft reads them: it maps columns, and each batch of them to as many rows. All rows that come of a batch are a list, beside
    its first row."""
    os.environ.update(DO_NOT_TRACK="true", DAFT_PROGRESS_BAR="0")
    import daft as engine

    def mapped(frame, function, taken, made):
        @engine.func.batch(return_dtype=engine.DataType.from_arrow_type(pyarrow.list_(pyarrow.struct(made))))
        def batches(*columns):
            arrays = [column.to_arrow().cast(field.type) for column, field in zip(columns, taken)]
            batch = pyarrow.record_batch(arrays, schema=taken)
            return [[row for out in function([batch]) for row in out.to_pylist()]] + [[]] * (batch.num_rows - 1)

        rows = frame.select(batches(*[engine.col(name) for name in taken.names]).alias("row"))
        rows = rows.explode("row").where(engine.col("row").not_null())
        return rows.select(*[engine.col("row").get(name).alias(name) for name in made.names])

    found = mapped(engine.from_arrow(machines).into_batches(16), walking(), UNITS, MANIFEST)
    return mapped(found.into_batches(64), reading(), MANIFEST, EVIDENCE).to_arrow()


if __name__ == "__main__":
    name, evidence, out = sys.argv[1:]
    folders, _ = units(evidence)
    folders = pyarrow.table({"machine": [one[0] for one in folders], "path": [one[1] for one in folders]}, UNITS)
    pyarrow.parquet.write_table({"sail": sail, "daft": daft}[name](folders), out)
