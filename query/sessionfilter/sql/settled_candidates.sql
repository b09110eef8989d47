{{- /* The settled sessions at the front of an order, of those whose cost is known. */ -}}
SELECT session_id, started_ns, last_ns, {{.SortKey}} AS sort_key FROM settled_costs
WHERE batch IN {costs:Array(String)} AND tenant = {tenant:String}
{{- if .MinCost}} AND cost >= {min_cost:Decimal(38, 18)}{{end}}
{{- if .MaxCost}} AND cost <= {max_cost:Decimal(38, 18)}{{end}}
{{- if .From}} AND started_ns >= {from:Int64}{{end}}
{{- if .To}} AND started_ns < {to:Int64}{{end}}
{{- if .After}} AND (sort_key, session_id) {{if .Descending}}<{{else}}>{{end}} ({after_key:Int64}, {after_id:String}){{end}}
{{- template "costs_mask" .}}
ORDER BY sort_key{{if .Descending}} DESC{{end}}, session_id{{if .Descending}} DESC{{end}}
LIMIT {rows:UInt64}
