{{- /* The latest time of a tombstone or an import of some sessions. */ -}}
SELECT max(at) FROM (
    SELECT max(deleted_at) AS at FROM tombstones WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}
    UNION ALL
    SELECT max(restored_at) AS at FROM restores WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)})
