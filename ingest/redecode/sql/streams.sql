{{- /* The session's streams. A segment's state is its newest row; the stream's is that of
its last segment. */ -}}
SELECT stream_id, min(first_seq) AS first,
  argMax(toString(transport), first_seq), argMax(dialect, first_seq), argMax(evidence, first_seq),
  argMax(source, first_seq), argMax(tags, first_seq),
  toUnixTimestamp64Nano(min(first_at)), toUnixTimestamp64Nano(max(greatest(first_at, last_at))),
  toUnixTimestamp64Nano(argMax(ended, first_seq)), argMax(end_reason, first_seq),
  argMax(recorder, first_seq), argMax(digest, first_seq), argMax(ingest_key, first_seq), min(decoder_version), max(version)
FROM streams FINAL
WHERE tenant = {tenant:String} AND session_id = {session:String} AND {{template "current_of_session"}}
GROUP BY stream_id
ORDER BY min(first_at), stream_id
