SELECT session_id, started_ns, last_ns, last_stream, live_streams
FROM (
    SELECT
        session_id,
        toUnixTimestamp64Nano(min(stream_first)) AS started_ns,
        max(stream_last_ns) AS last_ns,
        max(stream_id) AS last_stream,
        groupArrayIf(stream_id, stream_ended = 0 AND (stream_recorder IN {recorders:Array(String)}
        OR stream_last_ns >= if(stream_recorder = '', {silent_since:Int64}, {unheard_since:Int64}))) AS live_streams
    FROM (
        SELECT
            session_id, stream_id,
            min(first_at) AS stream_first,
            toUnixTimestamp64Nano(max(greatest(first_at, last_at))) AS stream_last_ns,
            toUnixTimestamp64Nano(argMax(ended, (first_seq, version))) AS stream_ended,
            argMax(recorder, (first_seq, version)) AS stream_recorder
        FROM streams
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
        AND ((SELECT count() FROM redecodes WHERE tenant = {tenant:String}) = 0 AND generation = 0
            OR (SELECT count() FROM redecodes WHERE tenant = {tenant:String}) > 0
            AND (generation = 0) != ((session_id, stream_id, if(generation = 0, first_seq, generation), generation = 0) IN (
                SELECT session_id, stream_id, named.1, named.2 FROM (
                    SELECT session_id, stream_id, arrayJoin(arrayPushBack(arrayMap(p -> (p, true), parts), (generation, false))) AS named
                    FROM redecodes FINAL WHERE tenant = {tenant:String}))))
            AND session_id IN {only:Array(String)}
        GROUP BY session_id, stream_id)
    GROUP BY session_id)
WHERE notEmpty(live_streams)
ORDER BY last_ns DESC, session_id
LIMIT {limit:UInt64}
