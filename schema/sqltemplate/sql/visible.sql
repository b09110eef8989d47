{{- /* define only: the rows of frames, streams, spans, messages and usage that are not
deleted. The dot restricts the tombstones that are read, such as
" AND session_id = {session:String}", which makes the condition cheap in statements about
few sessions. The statement has the parameter tenant. The condition uses only columns of
the tables' sorting keys, so it may stand in PREWHERE before FINAL. If nothing was deleted,
the count is a constant, and ClickHouse drops the condition. */ -}}
{{define "visible"}}{{template "visible_among" ""}}{{end}}
{{define "visible_of_session"}}{{template "visible_among" " AND session_id = {session:String}"}}{{end}}
{{define "visible_among"}}((SELECT count() FROM tombstones WHERE tenant = {tenant:String}{{.}}) = 0
        OR session_id NOT IN (SELECT session_id FROM tombstones WHERE tenant = {tenant:String}{{.}})
        OR (session_id, stream_id) IN (
            SELECT known.session_id, known.stream_id FROM (
                SELECT session_id, stream_id, restored_at FROM restores WHERE tenant = {tenant:String}{{.}} UNION ALL
                SELECT session_id, stream_id, toDateTime64(0, 9, 'UTC') FROM streams WHERE tenant = {tenant:String}{{.}}
                    AND session_id IN (SELECT session_id FROM tombstones WHERE tenant = {tenant:String}{{.}})) AS known
            INNER JOIN (
                SELECT session_id, max(until) AS last, max(deleted_at) AS deleted, groupUniqArrayArray(streams) AS listed
                FROM tombstones WHERE tenant = {tenant:String}{{.}} GROUP BY session_id) AS gone ON known.session_id = gone.session_id
            WHERE known.stream_id > gone.last AND NOT has(gone.listed, known.stream_id) OR known.restored_at > gone.deleted))
{{- end}}
