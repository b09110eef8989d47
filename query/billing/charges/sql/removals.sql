{{- /* The number of the last insert of the tenant in each of the tables that say which recordings are
removed. The settled rows of a session are removed only after such an insert. */ -}}
{{- range $i, $table := .}}
{{- if $i}} UNION ALL {{end}}SELECT '{{$table}}' AS name, max(_block_number) AS last FROM {{$table}} WHERE tenant = {tenant:String}
{{end -}}
