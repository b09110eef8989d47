{{- /* Whether frames of the session are stored more than once, rows that are marked as deleted
included, or in a generation that readers do not see. */ -}}
SELECT count() > uniqExact(stream_id, seq) OR max(generation) > (
  SELECT max(generation) FROM redecodes WHERE tenant = {tenant:String} AND session_id = {session:String})
FROM frames WHERE tenant = {tenant:String} AND session_id = {session:String}
SETTINGS apply_deleted_mask = 0
