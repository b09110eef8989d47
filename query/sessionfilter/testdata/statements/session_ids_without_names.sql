



SELECT
    session_id, started_ns, last_ns, oldest_stream_s,
    started_ns AS sort_key
FROM (
    SELECT
        session_id,
        toUnixTimestamp64Nano(min(first_at)) AS started_ns,
        toUnixTimestamp64Nano(max(greatest(first_at, last_at))) AS last_ns,
        toInt64(0) AS oldest_stream_s
    FROM streams
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
                    FROM redecodes FINAL WHERE tenant = {tenant:String}))))
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
                    FROM redecodes FINAL WHERE tenant = {tenant:String})))) AND agent IN {agents:Array(String)} AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) - 1
      UNION DISTINCT
      SELECT session_id FROM usage FINAL
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
      GROUP BY session_id, usage_id
      HAVING argMax(agent, (at, version, stream_id)) = '')
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
                    FROM redecodes FINAL WHERE tenant = {tenant:String})))) AND kind = 'tool' AND name IN {tools:Array(String)} AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) - 1
      UNION DISTINCT
      SELECT session_id FROM spans
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
                    FROM redecodes FINAL WHERE tenant = {tenant:String})))) AND kind = 'tool' AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) - 1
      GROUP BY session_id, span_id
      HAVING max(name) = '')
  AND session_id IN (
      SELECT session_id FROM spans
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
                    FROM redecodes FINAL WHERE tenant = {tenant:String})))) AND kind = 'llm' AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) - 1
      GROUP BY session_id, span_id
      HAVING max(model) = '')
  AND session_id IN (
      SELECT session_id FROM spans
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
                    FROM redecodes FINAL WHERE tenant = {tenant:String})))) AND kind = 'tool' AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) - 1
      GROUP BY session_id, span_id
      HAVING max(agent) = '')
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
                    FROM redecodes FINAL WHERE tenant = {tenant:String})))) AND model IN {models:Array(String)} AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) - 1
      UNION DISTINCT
      SELECT session_id FROM usage WHERE tenant = {tenant:String} AND ((SELECT count() FROM tombstones WHERE tenant = {tenant:String}) = 0
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
                    FROM redecodes FINAL WHERE tenant = {tenant:String})))) AND model IN {models:Array(String)} AND toDate(seen_at) >= toDate(fromUnixTimestamp64Nano({from:Int64}, 'UTC')) - 1
      UNION DISTINCT
      SELECT session_id FROM usage FINAL
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
      GROUP BY session_id, usage_id
      HAVING max(model) = '')
    GROUP BY session_id) AS sessions
WHERE 1
   AND started_ns >= {from:Int64}
ORDER BY sort_key, session_id
LIMIT {limit:UInt64}
