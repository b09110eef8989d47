{{- /* Copies the calls of the sessions of the table kept_sessions from one batch to another. */ -}}
INSERT INTO settled_calls (batch, tenant, {{template "settled_call_columns"}})
SELECT {batch:String}, {tenant:String}, {{template "settled_call_columns"}}
FROM settled_calls
WHERE batch = {from:String} AND tenant = {tenant:String} AND session_id IN (SELECT session_id FROM kept_sessions)
