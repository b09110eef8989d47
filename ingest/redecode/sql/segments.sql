{{- /* The first numbers of all segments that the recorder made of the session's streams. */ -}}
SELECT stream_id, groupUniqArray(first_seq) FROM (
  SELECT stream_id, first_seq FROM streams
  WHERE tenant = {tenant:String} AND session_id = {session:String} AND generation = 0
  UNION ALL
  SELECT stream_id, arrayJoin(parts) FROM redecodes FINAL
  WHERE tenant = {tenant:String} AND session_id = {session:String})
GROUP BY stream_id
