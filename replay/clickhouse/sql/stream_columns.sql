{{- /* define only: what is read of a segment of a stream. */ -}}
{{define "stream_columns"}}stream_id, first_seq, version, transport, dialect, source,
  first_at, last_at, frames, bytes, ended, end_reason, recorder
{{- end}}
