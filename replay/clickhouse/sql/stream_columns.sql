{{- /* define only: what is read of a segment of a stream. */ -}}
{{define "stream_columns"}}stream_id, first_seq, version, transport, dialect, source,
  first_at, last_at, frames, bytes, ended, end_reason, recorder
{{- end}}
{{- /* What was done to the session, as further rows in the columns of segments: they take
ClickHouse half of the time of subqueries. "expired": up to which stream frames expired, and when. */ -}}
{{define "expired"}}
UNION ALL
SELECT until, 0, 0, tenant, tenant, '', expired_at, expired_at, 0, 0, expired_at, '', '', 'expired'
FROM expirations
WHERE tenant = {tenant:String} AND session_id = {session:String} AND kind = 'frames'
{{- end}}
{{define "deleted"}}
UNION ALL
SELECT until, 0, 0, tenant, tenant, '', deleted_at, deleted_at, 0, 0, deleted_at, '', '', 'changed'
FROM tombstones
WHERE tenant = {tenant:String} AND session_id = {session:String}
{{- end}}
