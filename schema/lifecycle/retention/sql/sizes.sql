{{- /* define only: for each session of a tenant its last frame, its size of one kind, and the
greatest id of its streams. What has expired already is left out; what is stored of it later, such as by a
stream that goes on or a block that comes late, is not. had is what has expired of the streams up to that
id. Frames of expired streams that are stored once more, such as by an import, count as if they had not expired
before. The dot is the kind. */ -}}
{{define "sizes"}}
    SELECT s.session_id AS session_id, s.last AS last, s.until AS until, {{if eq . "frames" "charges"}}s.bytes{{else}}t.bytes{{end}} AS size, s.had AS had
    FROM (
        {{- if eq . "frames"}}
        SELECT p.session_id AS session_id, p.last AS last, p.until <= e.until AND p.bytes <= e.bytes AS gone,
            if(gone, e.until, p.until) AS until,
            if(gone, least(p.bytes, e.latest), toUInt64(p.bytes - least(p.bytes, e.bytes))) AS bytes,
            multiIf(gone, toUInt64(e.latest - bytes), e.until = p.until, e.latest, 0) AS had
        {{- else}}
        SELECT p.session_id AS session_id, p.last AS last, p.until AS until, toUInt64(p.bytes - least(p.bytes, e.bytes)) AS bytes, if(e.until = p.until, e.latest, 0) AS had
        {{- end}}
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
        WHERE NOT gone OR (p.session_id, e.until) IN ({{template "stored_again"}})
        {{- end}}
    ) AS s
{{- if eq . "messages"}}
    INNER JOIN (SELECT session_id, sum(byteSize(text, attributes, chunk_at, chunk_end)) AS bytes FROM messages FINAL WHERE tenant = {tenant:String} GROUP BY session_id) AS t ON t.session_id = s.session_id
{{- else if eq . "facts"}}
    INNER JOIN (SELECT session_id, sum(byteSize(span_id, name, error, attributes)) AS bytes FROM spans FINAL WHERE tenant = {tenant:String} GROUP BY session_id) AS t ON t.session_id = s.session_id
{{- end}}
{{- end}}
{{- /* Sessions with stored frames of streams that have expired, and the greatest id of these streams. A policy of age
without one of size reads no frames of streams that began after its cutoff. */ -}}
{{define "stored_again"}}
            SELECT f.session_id, x.upto
            FROM (
                SELECT session_id, min(stream_id) AS first FROM frames
                WHERE tenant = {tenant:String} AND session_id IN (SELECT session_id FROM expirations WHERE tenant = {tenant:String} AND kind = 'frames')
                    AND ({before:Int64} = 0 OR stream_started <= fromUnixTimestamp64Nano({before:Int64}, 'UTC'))
                GROUP BY session_id
            ) AS f INNER JOIN (
                SELECT session_id, max(until) AS upto FROM expirations WHERE tenant = {tenant:String} AND kind = 'frames' GROUP BY session_id
            ) AS x ON x.session_id = f.session_id
            WHERE f.first <= x.upto
{{- end}}
