{{- /* Copies the calls of the sessions of the table kept_sessions from one batch to another, in a table of
calls, which is the dot. */ -}}
INSERT INTO {{.}}
SELECT * REPLACE ({batch:String} AS batch)
FROM {{.}} AS old
WHERE old.batch = {from:String} AND old.tenant = {tenant:String} AND session_id IN (SELECT session_id FROM kept_sessions)
