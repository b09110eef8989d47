{{- /* The batches that are stored. */ -}}
SELECT DISTINCT table, replaceAll(partition, '\'', '') AS batch FROM system.parts
WHERE database = currentDatabase() AND active AND table IN {tables:Array(String)}
