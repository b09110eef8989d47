{{- /* The tables whose old rows can be cold: storage policy and definition of each. */ -}}
SELECT name, storage_policy, engine_full FROM system.tables
WHERE database = currentDatabase() AND name IN {tables:Array(String)} ORDER BY name
