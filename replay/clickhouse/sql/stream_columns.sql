{{- /* define only: what is read of a segment of a stream. */ -}}
{{define "stream_columns"}}stream_id, first_seq, version, transport, dialect, source,
  first_at, last_at, frames, bytes, ended, end_reason, recorder
{{- end}}
{{- /* Up to which stream the frames of the session expired, "" for none, and when, ns. */ -}}
{{define "expired_until"}}assumeNotNull((SELECT max(until) FROM expirations
  WHERE tenant = {tenant:String} AND session_id = {session:String} AND kind = 'frames'))
{{- end}}
{{define "expired_at"}}assumeNotNull((SELECT toUnixTimestamp64Nano(max(expired_at)) FROM expirations
  WHERE tenant = {tenant:String} AND session_id = {session:String} AND kind = 'frames'))
{{- end}}
