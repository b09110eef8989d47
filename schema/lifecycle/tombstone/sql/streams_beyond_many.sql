{{- /* The streams of some sessions that an id does not cover. */ -}}
SELECT session_id, groupUniqArray(stream_id) FROM streams
WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)} AND stream_id > {until:String}
GROUP BY session_id
