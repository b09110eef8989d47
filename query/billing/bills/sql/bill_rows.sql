{{- /* Rows of bills, by the attempts that closed them. */ -}}
SELECT attempt, ordinal, class, charge_period, toUnixTimestamp64Nano(charge_start) AS start_ns, toUnixTimestamp64Nano(charge_end) AS end_ns,
    charge_id, toUnixTimestamp64Nano(at) AS at_ns, session_id, stream_id, position,
    provider, model, service_tier, speed, region, tags, unit, quantity, per, list_price, contracted_price, price,
    list_cost, contracted_cost, billed_cost, prices_hash, rules, reason, note
FROM bill_rows
WHERE tenant = {tenant:String} AND attempt IN {attempts:Array(String)}
    {{- if .Charges}} AND charge_id IN {charges:Array(String)}{{end}}
    {{- template "of_lines" .}}
    {{- if .After}} AND ordinal >= {ordinal:UInt64}{{end}}
ORDER BY attempt, ordinal
{{- if .Limited}}
LIMIT {limit:UInt64}
{{- end}}
{{- /* of_lines selects the rows of lines by the members that identify a line. */ -}}
{{define "of_lines"}}
{{- range .Members}} AND
    {{- if eq . "unpriced"}} (billed_cost = '') = {row_unpriced:UInt8}
    {{- else if eq . "tag"}} tags[{row_tag_name:String}] = {row_tag:String}
    {{- else}} {{.}} = {row_{{.}}:String}{{end}}
{{- end}}
{{- end}}
