{{- /* The size of some sessions. */ -}}
SELECT uniqExact(session_id), uniqExact(stream_id), sum(frames), sum(bytes)
FROM (
    SELECT session_id, stream_id, first_seq, max(frames) AS frames, max(bytes) AS bytes FROM streams
    WHERE tenant = {tenant:String} AND ({all:Bool} OR session_id IN {sessions:Array(String)})
        AND ({until:String} = '' OR stream_id <= {until:String})
    GROUP BY session_id, stream_id, first_seq)
