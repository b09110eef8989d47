{{- /* The latest time of a tombstone or an import of some sessions; of all sessions if '' is one of them. */ -}}
SELECT max(at) FROM (
    SELECT max(deleted_at) AS at FROM tombstones
    WHERE tenant = {tenant:String} AND (has({sessions:Array(String)}, '') OR session_id IN {sessions:Array(String)})
    UNION ALL
    SELECT max(restored_at) AS at FROM restores
    WHERE tenant = {tenant:String} AND (has({sessions:Array(String)}, '') OR session_id IN {sessions:Array(String)}))
