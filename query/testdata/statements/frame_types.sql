SELECT type, toString(way) AS direction_name, count() AS frames
FROM (
    SELECT argMax(type, generation) AS type, any(direction) AS way FROM frames
    WHERE tenant = {tenant:String} AND session_id = {session:String}
    GROUP BY stream_id, seq)
GROUP BY type, way
ORDER BY frames DESC, type, way
