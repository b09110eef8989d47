{{- /* How many rows of the session are in batches of settled usage that were begun before a time, ns. The
id of a batch is month-time-random. */ -}}
SELECT count() FROM (
{{- range $i, $table := .}}
    {{- if $i}} UNION ALL{{end}}
    SELECT batch FROM {{$table}} WHERE tenant = {tenant:String} AND session_id = {session:String}
{{- end}})
WHERE toInt64OrZero(splitByChar('-', toString(batch))[2]) < {before:Int64}
