{{- /* The recorder's rows of a session's streams, in every version that has not been
merged away, and whether something was decoded anew or deleted since. It costs the server
half of what current_streams costs, and nearly every session is as it was recorded. */ -}}
SELECT {{template "stream_columns"}}, toUInt8(
  assumeNotNull((SELECT count() FROM redecodes WHERE tenant = {tenant:String} AND session_id = {session:String})) > 0
  OR assumeNotNull((SELECT count() FROM tombstones WHERE tenant = {tenant:String} AND session_id = {session:String})) > 0), {{template "expired_until"}}, {{template "expired_at"}}
FROM streams
WHERE tenant = {tenant:String} AND session_id = {session:String} AND generation = 0
