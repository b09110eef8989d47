{{- /* The streams of a session that an id does not cover, such as those of a recorder
whose clock is ahead. */ -}}
SELECT groupUniqArray(stream_id) FROM streams
WHERE tenant = {tenant:String} AND session_id = {session:String} AND stream_id > {until:String}
