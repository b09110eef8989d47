{{- /* How many frames each stream has in a span of one session, and their bytes. Rows that
stand there twice are counted once. */ -}}
SELECT stream_id, count() AS frames, sum(size) AS bytes
FROM (
    SELECT stream_id, seq, length(raw) AS size FROM frames
    WHERE {{template "stored_frames"}}
    {{- template "in_span" .}}
    LIMIT 1 BY stream_id, seq)
GROUP BY stream_id
