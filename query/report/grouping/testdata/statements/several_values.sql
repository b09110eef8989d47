SELECT count() AS found FROM (
    SELECT session_id FROM streams
    WHERE tenant = {tenant:String} AND mapContains(tags, {tag:String}) AND (toUnixTimestamp64Nano(greatest(first_at, last_at)) >= {near_from:Int64} AND toUnixTimestamp64Nano(first_at) < {near_to:Int64} OR session_id IN (SELECT session_id FROM crossing_sessions))
    GROUP BY session_id
    HAVING min(tags[{tag:String}]) != max(tags[{tag:String}])
    LIMIT 1)
