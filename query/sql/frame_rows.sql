{{- /* How many rows the frames of one session stand in. */ -}}
SELECT count() AS found FROM frames WHERE tenant = {tenant:String} AND session_id = {session:String}
