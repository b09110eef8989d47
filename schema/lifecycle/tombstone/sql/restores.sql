{{- /* The restored streams of some sessions, or the latest of all sessions. */ -}}
SELECT tenant, session_id, stream_id, restored_at FROM restores FINAL
{{- if .Latest}}
WHERE restored_at >= {since:DateTime64(9, 'UTC')} ORDER BY restored_at DESC LIMIT {limit:UInt64}
{{- else}}
WHERE (tenant, session_id) IN arrayZip({tenants:Array(String)}, {sessions:Array(String)})
{{- end}}
