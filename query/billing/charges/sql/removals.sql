{{- /* The number of the last insert of the tenant in each of the tables that say which recordings are
removed. The settled rows of a session are removed only after such an insert. On a cluster the inserts of
each shard have numbers of their own, and their sum is read. */ -}}
{{- range $i, $table := .Tables}}
{{- if $i}} UNION ALL {{end}}SELECT '{{$table}}' AS name,
{{- if $.Sharded}} sum(last_of_shard) AS last FROM (
    SELECT max(_block_number) AS last_of_shard FROM {{$table}} WHERE tenant = {tenant:String} GROUP BY _shard_num)
{{else}} max(_block_number) AS last FROM {{$table}} WHERE tenant = {tenant:String}
{{end}}{{end -}}
