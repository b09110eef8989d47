{{- /* Erasures of a tenant or of all: the latest first, one of them, or those that are not done, the oldest first. */ -}}
SELECT record, version FROM erasures FINAL
WHERE {tenant:String} IN ('*', tenant)
{{- if .One}} AND id = {id:String}{{end}}
{{- if .Open}} AND state != 'verified'{{end}}
ORDER BY requested_at{{if not .Open}} DESC{{end}}, id{{if not .Open}} DESC{{end}}
LIMIT {limit:UInt32}
