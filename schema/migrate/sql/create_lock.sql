{{- /* The lock: the name of its column has the generation of the holder. To rename it from the
generation before is the one step that succeeds for one process only. The table has no rows. */ -}}
CREATE TABLE IF NOT EXISTS schema_lock (generation_0 UInt8) ENGINE = MergeTree ORDER BY tuple()
