{{- /* define only: for each session of a tenant its last frame, its size of one kind, and the
greatest id of its streams. What has expired already is left out. The dot is the kind. */ -}}
{{define "sizes"}}
    SELECT s.session_id AS session_id, s.last AS last, s.until AS until, {{if eq . "frames" "charges"}}s.bytes{{else}}t.bytes{{end}} AS size
    FROM (
        SELECT session_id, max(last_at) AS last, max(stream_id) AS until, sum(bytes) AS bytes
        FROM (
            SELECT session_id, stream_id, first_seq, max(last_at) AS last_at, max(bytes) AS bytes
            FROM streams LEFT ANY JOIN (
                SELECT session_id, max(until) AS expired FROM expirations WHERE tenant = {tenant:String} AND kind = {kind:String} GROUP BY session_id
            ) AS e USING session_id
            WHERE tenant = {tenant:String} AND stream_id > e.expired AND {{template "visible"}}
            GROUP BY session_id, stream_id, first_seq)
        GROUP BY session_id
    ) AS s
{{- if eq . "messages"}}
    INNER JOIN (SELECT session_id, sum(byteSize(text, attributes, chunk_at, chunk_end)) AS bytes FROM messages WHERE tenant = {tenant:String} GROUP BY session_id) AS t ON t.session_id = s.session_id
{{- else if eq . "facts"}}
    INNER JOIN (SELECT session_id, sum(byteSize(span_id, name, error, attributes)) AS bytes FROM spans WHERE tenant = {tenant:String} GROUP BY session_id) AS t ON t.session_id = s.session_id
{{- end}}
{{- end}}
