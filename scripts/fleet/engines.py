"""crashsift_spark on other engines than Spark: scripts/fleet/check.py compares what they make.

    engines.py sail EVIDENCE OUT     the whole job on Sail
    engines.py daft EVIDENCE OUT     the functions that walk and read, on Daft
"""

import os
import sys

import pyarrow
import pyarrow.parquet
from crashsift_spark import Fleet, reading, walking
from crashsift_spark.fleet import EVIDENCE, MANIFEST, UNITS, units


def sail(evidence, out):
    """Sail is a server of Spark Connect."""
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    server = SparkConnectServer("127.0.0.1", 0)
    server.start()
    spark = SparkSession.builder.remote(f"sc://127.0.0.1:{server.listening_address[1]}").getOrCreate()
    Fleet(evidence, out).run(spark)
    spark.stop()
    server.stop()


def daft(evidence, out):
    """Daft maps columns, and each batch of them to as many rows. All rows that come of a batch are a list, beside its first row."""
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

    folders, _ = units(evidence)
    machines = pyarrow.table({"machine": [one[0] for one in folders], "path": [one[1] for one in folders]}, UNITS)
    found = mapped(engine.from_arrow(machines).into_batches(16), walking(), UNITS, MANIFEST)
    read = mapped(found.into_batches(64), reading(), MANIFEST, EVIDENCE).to_arrow()
    os.makedirs(os.path.join(out, "evidence", "run-0001"))
    pyarrow.parquet.write_table(read, os.path.join(out, "evidence", "run-0001", "part.parquet"))


if __name__ == "__main__":
    {"sail": sail, "daft": daft}[sys.argv[1]](*sys.argv[2:])
