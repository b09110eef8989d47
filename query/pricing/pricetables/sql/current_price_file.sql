{{- /* The price file that was imported last; without its text, unless it is asked for. */ -}}
SELECT hash, imported_at, file_name{{if .File}}, file{{end}}
FROM price_tables
ORDER BY imported_at DESC, hash
LIMIT 1
