
SELECT
    stream_id,
    argMax(transport, first_seq) AS transport_name,
    argMax(dialect, first_seq) AS dialect_name,
    argMax(evidence, first_seq) AS dialect_evidence,
    argMax(source, first_seq) AS source_text,
    argMax(tags, first_seq) AS tag_map,
    argMinIf(title, first_seq, title != '') AS title_text,
    toUnixTimestamp64Nano(min(first_at)) AS first_ns,
    toUnixTimestamp64Nano(max(greatest(first_at, last_at))) AS last_ns,
    toUnixTimestamp64Nano(argMax(ended, first_seq)) AS ended_ns,
    argMax(end_reason, first_seq) AS reason,
    max(digest) AS digest_text,
    argMax(recorder, first_seq) AS stream_recorder,
    ended_ns = 0 AND NOT (stream_recorder IN {recorders:Array(String)}
        OR last_ns >= if(stream_recorder = '', {silent_since:Int64}, {unheard_since:Int64})) AS is_lost,
    count() AS parts,
    sum(frames) AS frame_count,
    sum(bytes) AS byte_count,
    sum(not_json) AS not_json_count,
    sum(invalid_utf8) AS invalid_utf8_count,
    sum(oversize) AS oversize_count,
    sum(unknown) AS unknown_count,
    sum(lost) AS lost_count,
    sum(repeated) AS repeated_count,
    sum(back) AS back_count,
    sumMap(redacted) AS redacted_counts,
    argMaxIf(limits, first_seq, limits != '') AS limits_text,
    (SELECT count() FROM tombstones WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)})
        + (SELECT count() FROM redecodes WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}) = 0 AS original,
    (SELECT count() FROM expirations WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}) > 0 AS has_expired
FROM streams FINAL
PREWHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)} AND ((SELECT count() FROM tombstones WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}) = 0
        OR session_id NOT IN (SELECT session_id FROM tombstones WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)})
        OR (session_id, stream_id) IN (
            SELECT known.session_id, known.stream_id FROM (
                SELECT session_id, stream_id, restored_at FROM restores WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)} UNION ALL
                SELECT session_id, stream_id, toDateTime64(0, 9, 'UTC') FROM streams WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}
                    AND session_id IN (SELECT session_id FROM tombstones WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)})) AS known
            INNER JOIN (
                SELECT session_id, max(until) AS last, max(deleted_at) AS deleted, groupUniqArrayArray(streams) AS listed
                FROM tombstones WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)} GROUP BY session_id) AS gone ON known.session_id = gone.session_id
            WHERE known.stream_id > gone.last AND NOT has(gone.listed, known.stream_id) OR known.restored_at > gone.deleted))
        AND ((SELECT count() FROM redecodes WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}) = 0 AND generation = 0
            OR (SELECT count() FROM redecodes WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}) > 0
            AND (generation = 0) != ((session_id, stream_id, if(generation = 0, first_seq, generation), generation = 0) IN (
                SELECT session_id, stream_id, named.1, named.2 FROM (
                    SELECT session_id, stream_id, arrayJoin(arrayPushBack(arrayMap(p -> (p, true), parts), (generation, false))) AS named
                    FROM redecodes FINAL WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}))))
GROUP BY stream_id
ORDER BY first_ns, stream_id
