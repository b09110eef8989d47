{{- /* The batches that are stored. */ -}}
SELECT DISTINCT table, replaceAll(partition, '\'', '') AS batch FROM system.parts
WHERE database = currentDatabase() AND active AND table IN ('settled_usage', 'settled_charges', 'settled_calls', 'settled_sessions', 'settled_costs', 'settled_model_costs')
