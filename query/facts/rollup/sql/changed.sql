{{- /* Sessions with rows that were stored after a settlement. The third part of a part's name
is the number of its last insert, by which ClickHouse leaves out parts. Only a tombstone without a
session stands for all sessions of its tenant. */ -}}
SELECT tenant, session_id FROM (
{{- range $i, $table := .Tables}}
    {{- if $i}} UNION ALL{{end}}
    SELECT tenant, session_id FROM {{$table}}
    WHERE toUInt64OrZero(splitByChar('_', _part)[3]) > {{$.Block $table}} AND _block_number > {{$.Block $table}}
        {{- if ne $table "tombstones"}} AND session_id != ''{{end}}
        {{- if eq $table "expirations"}} AND kind IN ('charges', 'facts', 'messages'){{end}}
        {{- if $.OfTenant}} AND tenant = {tenant:String}{{end}}
{{- end}})
GROUP BY tenant, session_id
LIMIT {limit:UInt64}
