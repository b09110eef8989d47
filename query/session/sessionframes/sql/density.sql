{{- /* How many frames of one session arrived in each slice of time, and the first
of them. With care, rows that stand there twice are counted once. */ -}}
SELECT slice, frames, first.1 AS first_ns, first.2 AS first_stream, first.3 AS first_seq
FROM (
    SELECT
        intDiv(at_ns - {from:Int64}, {width:Int64}) AS slice,
        count() AS frames,
        min((at_ns, stream_id, seq)) AS first
    FROM (
        SELECT toUnixTimestamp64Nano(captured_at) AS at_ns, stream_id, seq FROM frames
        WHERE {{template "stored_frames"}}
          AND captured_at BETWEEN fromUnixTimestamp64Nano({from:Int64}, 'UTC') AND fromUnixTimestamp64Nano({until:Int64}, 'UTC')
          {{- template "in_span" .}}
        {{- if .Careful}}
        LIMIT 1 BY stream_id, seq
        {{- end}})
    GROUP BY slice)
ORDER BY slice
