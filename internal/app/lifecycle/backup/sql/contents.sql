{{- /* What the tables of a snapshot hold: sessions, frames, their bytes, the last of them, and the schema. */ -}}
SELECT count(), sum(rows), sum(bytes),
    (SELECT max(captured_at) FROM {{.}}.frames),
    (SELECT max(version) FROM {{.}}.schema_migrations)
FROM {{.}}.backup_sums WHERE table_name = 'frames'
