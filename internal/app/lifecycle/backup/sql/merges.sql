{{- /* Whether rows of one key become one row in a table. */ -}}
SELECT countIf(engine NOT IN ('MergeTree', 'ReplicatedMergeTree')) > 0 FROM system.tables
WHERE database = {database:String} AND name = {table:String}
