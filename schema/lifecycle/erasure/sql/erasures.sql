{{- /* Erasures, the latest first: of a tenant or of all, one of them, or those that are not done. */ -}}
SELECT record, version FROM erasures FINAL
WHERE {tenant:String} IN ('*', tenant)
{{- if .One}} AND id = {id:String}{{end}}
{{- if .Open}} AND state != 'verified'{{end}}
ORDER BY requested_at DESC, id DESC
LIMIT {limit:UInt32}
