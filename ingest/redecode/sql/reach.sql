{{- /* How far the next window of a stream reaches. Only the sizes of frames are read. */ -}}
SELECT count(), maxIf(seq, place = 1 OR total <= {budget:UInt64}) FROM (
  SELECT seq, row_number() OVER so_far AS place, sum(size) OVER so_far AS total
  FROM (SELECT seq, length(raw) AS size {{template "of_stream"}} AND seq <= {to:UInt64} ORDER BY seq LIMIT 1 BY seq)
  WINDOW so_far AS (ORDER BY seq ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW))
{{- /* of_stream: the frames of a stream from a number on, in all of its sessions. */ -}}
{{- define "of_stream"}}FROM frames
WHERE tenant = {tenant:String} AND session_id IN {sessions:Array(String)} AND stream_id = {stream:String}
  AND toYYYYMM(stream_started) = {month:UInt32} AND seq >= {from:UInt64}
{{- end}}
