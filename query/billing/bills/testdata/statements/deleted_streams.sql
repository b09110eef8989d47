SELECT session_id, max(until) AS last, groupUniqArrayArray(streams) AS listed FROM tombstones
WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)}
GROUP BY session_id
