{{- /* define only: for each session of a tenant its last frame, its size of one kind, and the
greatest id of its streams. What has expired already is left out; what is stored of it later, such as by a
stream that goes on or a block that comes late, is not. had is what has expired of the streams up to that
id. The dot is the kind. */ -}}
{{define "sizes"}}
    SELECT s.session_id AS session_id, s.last AS last, s.until AS until, {{if eq . "frames" "charges"}}s.bytes{{else}}t.bytes{{end}} AS size, s.had AS had
    FROM (
        SELECT p.session_id AS session_id, p.last AS last, p.until AS until, toUInt64(p.bytes - least(p.bytes, e.bytes)) AS bytes, if(e.until = p.until, e.latest, 0) AS had
        FROM (
            SELECT session_id, max(last_at) AS last, max(stream_id) AS until, sum(bytes) AS bytes
            FROM (
                SELECT session_id, stream_id, first_seq, max(last_at) AS last_at, max(bytes) AS bytes
                FROM streams WHERE tenant = {tenant:String} AND {{template "visible"}}
                GROUP BY session_id, stream_id, first_seq)
            GROUP BY session_id
        ) AS p LEFT ANY JOIN (
            SELECT session_id, max(upto) AS until, sum(one) AS bytes, argMax(one, upto) AS latest
            FROM (
                SELECT session_id, until AS upto, max(bytes) AS one FROM expirations
                WHERE tenant = {tenant:String} AND kind = {kind:String} GROUP BY session_id, until)
            GROUP BY session_id
        ) AS e ON e.session_id = p.session_id
        {{- if eq . "frames"}}
        WHERE p.until > e.until OR p.bytes > e.bytes
        {{- end}}
    ) AS s
{{- if eq . "messages"}}
    INNER JOIN (SELECT session_id, sum(byteSize(text, attributes, chunk_at, chunk_end)) AS bytes FROM messages FINAL WHERE tenant = {tenant:String} GROUP BY session_id) AS t ON t.session_id = s.session_id
{{- else if eq . "facts"}}
    INNER JOIN (SELECT session_id, sum(byteSize(span_id, name, error, attributes)) AS bytes FROM spans FINAL WHERE tenant = {tenant:String} GROUP BY session_id) AS t ON t.session_id = s.session_id
{{- end}}
{{- end}}
