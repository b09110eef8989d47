SELECT
    tenant, session_id, stream_id, alert_id, rule, kind, condition, span_id, span_name, position, per, value, period, detail,
    toUnixTimestamp64Nano(began_at) AS began_ns, toUnixTimestamp64Nano(ended_at) AS ended_ns
FROM alerts FINAL
PREWHERE tenant = {tenant:String} AND ((SELECT count() FROM tombstones WHERE tenant = {tenant:String}) = 0
        OR session_id NOT IN (SELECT session_id FROM tombstones WHERE tenant = {tenant:String})
        OR (session_id, stream_id) IN (
            SELECT known.session_id, known.stream_id FROM (
                SELECT session_id, stream_id, restored_at FROM restores WHERE tenant = {tenant:String} UNION ALL
                SELECT session_id, stream_id, toDateTime64(0, 9, 'UTC') FROM streams WHERE tenant = {tenant:String}
                    AND session_id IN (SELECT session_id FROM tombstones WHERE tenant = {tenant:String})) AS known
            INNER JOIN (
                SELECT session_id, max(until) AS last, max(deleted_at) AS deleted, groupUniqArrayArray(streams) AS listed
                FROM tombstones WHERE tenant = {tenant:String} GROUP BY session_id) AS gone ON known.session_id = gone.session_id
            WHERE known.stream_id > gone.last AND NOT has(gone.listed, known.stream_id) OR known.restored_at > gone.deleted))
WHERE 1 AND per = {per:String} AND value = {value:String}
ORDER BY began_at DESC, alert_id DESC
LIMIT {limit:UInt64}
