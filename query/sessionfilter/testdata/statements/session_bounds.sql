SELECT
    session_id,
    toInt64(sum(input + cache_read + cache_write_5m + cache_write_1h + output + reasoning)) AS bound
FROM usage AS records
WHERE tenant = {tenant:String} AND ((SELECT count() FROM tombstones WHERE tenant = {tenant:String}) = 0
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
                    FROM redecodes FINAL WHERE tenant = {tenant:String})))) AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) - 1
    AND ((SELECT count() FROM duplicate_usage WHERE tenant = {tenant:String}) = 0 OR NOT ((records.session_id, usage_id) IN (
        SELECT session_id, usage_id FROM duplicate_usage FINAL WHERE tenant = {tenant:String} AND duplicate = 1)))
  AND session_id IN (
      SELECT session_id FROM spans WHERE tenant = {tenant:String} AND ((SELECT count() FROM tombstones WHERE tenant = {tenant:String}) = 0
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
                    FROM redecodes FINAL WHERE tenant = {tenant:String})))) AND agent IN {agents:Array(String)} AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) - 1
      UNION DISTINCT
      SELECT session_id FROM messages WHERE tenant = {tenant:String} AND ((SELECT count() FROM tombstones WHERE tenant = {tenant:String}) = 0
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
                    FROM redecodes FINAL WHERE tenant = {tenant:String})))) AND agent IN {agents:Array(String)} AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) - 1)
GROUP BY session_id
HAVING bound >= {min_tokens:Int64}
   AND ((bound, session_id) < ({after_key:Int64}, {after_id:String})
        OR uniqExact(cityHash64(usage_id)) != count() OR countIf(mode = 'running') > 0)
ORDER BY bound DESC, session_id DESC
LIMIT {rows:UInt64}
