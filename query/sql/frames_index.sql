{{- /* The last of every so many frames, and the last of all: by their keys alone,
in the order of their positions. Repeats are dropped. */ -}}
SELECT toUnixTimestamp64Nano(captured_at) AS at_ns, toString(stream) AS stream_id, seq, place
FROM (
    SELECT stream, seq, captured_at, row_number() OVER (ORDER BY captured_at, stream, seq) AS place, count() OVER () AS total
    FROM (
        SELECT toLowCardinality(stream_id) AS stream, seq, captured_at FROM frames
        WHERE {{template "session_frames" .}}
        LIMIT 1 BY stream_id, seq))
WHERE place % {every:UInt64} = 0 OR place = total
ORDER BY place
