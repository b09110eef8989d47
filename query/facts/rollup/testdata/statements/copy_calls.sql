INSERT INTO settled_calls
SELECT * REPLACE ({batch:String} AS batch)
FROM settled_calls AS old
WHERE old.batch = {from:String} AND old.tenant = {tenant:String} AND session_id IN (SELECT session_id FROM kept_sessions)
