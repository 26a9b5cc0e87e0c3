-- The tables of the folder `lake`, for DuckDB.
set timezone = 'UTC';
create or replace view incidents as from read_parquet('lake/incidents/**/part-*.parquet', hive_partitioning = true);
create or replace view evidence as from read_parquet('lake/evidence/**/part-*.parquet', hive_partitioning = true);
create or replace view frames as from read_parquet('lake/frames/**/part-*.parquet', hive_partitioning = true);
create or replace view modules as from read_parquet('lake/modules/**/part-*.parquet', hive_partitioning = true);
create or replace view findings as from read_parquet('lake/findings/**/part-*.parquet', hive_partitioning = true);
create or replace view steps as from read_parquet('lake/steps/**/part-*.parquet', hive_partitioning = true);
create or replace view groups as from read_parquet('lake/groups/**/part-*.parquet', hive_partitioning = true);
create or replace view timeline as from read_parquet('lake/timeline/**/part-*.parquet', hive_partitioning = true);
create or replace view artifacts as from read_parquet('lake/artifacts/**/part-*.parquet', hive_partitioning = true);
create or replace view machines as from read_parquet('lake/machines/**/part-*.parquet', hive_partitioning = true);
