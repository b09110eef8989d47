{{- /* How many parts of the tables have no text index yet. */ -}}
SELECT count() AS parts FROM system.parts
WHERE database = currentDatabase() AND table IN ('messages', 'spans') AND active AND rows > 0 AND secondary_indices_compressed_bytes = 0
