{{- /* How many frames each stream of the session has, in all and in the new generation. */ -}}
SELECT stream_id, uniqExact(seq), uniqExactIf(seq, generation >= {generation:UInt64}) FROM frames
WHERE tenant = {tenant:String} AND session_id = {session:String}
GROUP BY stream_id
