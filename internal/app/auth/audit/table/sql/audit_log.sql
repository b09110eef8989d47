{{- /* The entries of a tenant, or of all, the latest first. Of a change that has ended the row
with the outcome counts; a row that was inserted again counts once. The order is that of the
table, so a page reads what it returns. */ -}}
SELECT tenant, toUnixTimestamp64Nano(at) AS at_ns, id, principal_kind, principal_id, principal_name, remote, action, kind, object, detail, outcome, status, request_id
FROM audit_log
WHERE at >= fromUnixTimestamp64Nano({from:Int64}) AND at < fromUnixTimestamp64Nano({to:Int64})
    AND (ended = 1 OR (at, id) NOT IN (
        SELECT at, id FROM audit_log
        WHERE at >= fromUnixTimestamp64Nano({from:Int64}) AND at < fromUnixTimestamp64Nano({to:Int64}) AND ended = 1
            AND action IN (SELECT DISTINCT action FROM audit_log WHERE ended = 0)))
{{- if .After}} AND (at, id) < (fromUnixTimestamp64Nano({after_at:Int64}), {after_id:String}){{end}}
{{- if .Tenant}} AND tenant = {tenant:String}{{end}}
{{- if .Principal}} AND (principal_id = {principal:String} OR principal_name = {principal:String}){{end}}
{{- if .Action}} AND (action = {action:String} OR kind = {action:String}){{end}}
{{- if .Object}} AND object = {object:String}{{end}}
{{- if .Outcome}} AND outcome = {outcome:String}{{end}}
ORDER BY at DESC, id DESC
LIMIT 1 BY at, id
{{- if .Limited}}
LIMIT {limit:UInt64}
{{- end}}
