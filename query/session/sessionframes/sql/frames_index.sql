{{- /* The last of every so many frames, and the last of all: by their keys alone,
in the order of their positions. The window is one of rows: one of values, which is
the default, takes twice the time. With care, rows that stand there twice are
counted once. */ -}}
SELECT
    toUnixTimestamp64Nano(captured_at) AS at_ns, toString(stream) AS stream_id, seq, place,
    {{if .Careful}}total{{else}}(SELECT count() FROM frames WHERE {{template "session_frames" .}}) AS total{{end}}
FROM (
    SELECT stream, seq, captured_at,
        row_number() OVER (ORDER BY captured_at, stream, seq ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS place
        {{- if .Careful}},
        count() OVER () AS total
        {{- end}}
    FROM (
        SELECT toLowCardinality(stream_id) AS stream, seq, captured_at FROM frames
        WHERE {{template "session_frames" .}}
        {{- if .Careful}}
        LIMIT 1 BY stream_id, seq
        {{- end}}))
WHERE place % {every:UInt64} = 0 OR place = total
ORDER BY place
