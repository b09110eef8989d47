{{- /* The tombstones of some sessions, or the latest of all sessions. */ -}}
SELECT tenant, session_id, until, streams, deleted_at, finished, erasure FROM tombstones FINAL
{{- if .Latest}}
WHERE deleted_at >= {since:DateTime64(9, 'UTC')} ORDER BY deleted_at DESC LIMIT {limit:UInt64}
{{- else}}
WHERE (tenant, session_id) IN arrayZip({tenants:Array(String)}, {sessions:Array(String)})
{{- end}}
