{{- /* The segments of a session's streams. */ -}}
SELECT stream_id, first_seq, version, toString(transport), dialect, evidence, source, tags, title,
  toUnixTimestamp64Nano(first_at), toUnixTimestamp64Nano(last_at), frames, bytes, toUnixTimestamp64Nano(ended), end_reason,
  recorder, digest, ingest_key, decoder_version, redacted, limits,
  not_json, invalid_utf8, oversize, unknown, lost, repeated, back
FROM streams FINAL WHERE tenant = {tenant:String} AND session_id = {session:String} AND {{template "current_of_session"}}
ORDER BY first_at, stream_id, first_seq
