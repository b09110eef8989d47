{{- /* The sessions in which the streams have frames, and when their taps saw their end: a
segment that was left for other sessions has ended by itself. */ -}}
SELECT stream_id, session_id, toUnixTimestamp64Nano(maxIf(ended, end_reason != 'left'))
FROM streams FINAL
WHERE tenant = {tenant:String} AND stream_id IN {streams:Array(String)} AND toYYYYMM(stream_started) IN {months:Array(UInt32)}
  AND {{template "current"}}
GROUP BY stream_id, session_id
