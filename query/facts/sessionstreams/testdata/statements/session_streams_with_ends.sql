SELECT
    session_id,
    toUnixTimestamp64Nano(min(stream_first)) AS started_ns,
    toUnixTimestamp64Nano(max(stream_last)) AS last_ns,
    max(stream_end_ns) AS end_ns,
    argMax(stream_ended, (stream_end_ns, stream_last, stream_id)) AS last_ended_ns,
    argMax(stream_reason, (stream_end_ns, stream_last, stream_id)) AS last_reason,
    groupArray(stream_id) AS stream_ids,
    groupArray(stream_end_ns) AS stream_ends,
    (SELECT count() FROM tombstones WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)})
        + (SELECT count() FROM redecodes WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}) = 0 AS original,
    count() AS streams,
    sum(stream_frames) AS frames,
    sum(stream_bytes) AS bytes,
    countIf(stream_ended = 0 AND (stream_recorder IN {recorders:Array(String)}
        OR toUnixTimestamp64Nano(stream_last) >= if(stream_recorder = '', {silent_since:Int64}, {unheard_since:Int64}))) AS live_streams,
    countIf(stream_ended = 0 AND NOT (stream_recorder IN {recorders:Array(String)}
        OR toUnixTimestamp64Nano(stream_last) >= if(stream_recorder = '', {silent_since:Int64}, {unheard_since:Int64}))) AS lost_streams,
    startsWith(last_reason, 'error') AS cut,
    argMinIf(stream_title, (stream_first, stream_id), stream_title != '') AS title,
    arraySort(groupUniqArrayIf(stream_dialect, stream_dialect != '')) AS dialects,
    arrayMap(pair -> pair.1, arraySort(groupUniqArrayArray(arrayZip(mapKeys(stream_tags), mapValues(stream_tags))))) AS tag_keys,
    arrayMap(pair -> pair.2, arraySort(groupUniqArrayArray(arrayZip(mapKeys(stream_tags), mapValues(stream_tags))))) AS tag_values
FROM (
    SELECT
        session_id, stream_id,
        min(first_at) AS stream_first,
        max(greatest(first_at, last_at)) AS stream_last,
        sum(frames) AS stream_frames,
        sum(bytes) AS stream_bytes,
        toUnixTimestamp64Nano(argMax(ended, first_seq)) AS stream_ended,
        greatest(toUnixTimestamp64Nano(stream_last), stream_ended) AS stream_end_ns,
        argMax(end_reason, first_seq) AS stream_reason,
        argMax(recorder, first_seq) AS stream_recorder,
        argMinIf(title, first_seq, title != '') AS stream_title,
        argMax(dialect, first_seq) AS stream_dialect,
        argMax(tags, first_seq) AS stream_tags
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
    GROUP BY session_id, stream_id)
GROUP BY session_id
