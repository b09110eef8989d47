{{- /* How many frames of one session are of each type, each way. With care, rows
that stand there twice are counted once. */ -}}
SELECT type, toString(way) AS direction_name, count() AS frames
FROM (
    {{- if .Careful}}
    SELECT argMax(type, generation) AS type, any(direction) AS way FROM frames
    {{- else}}
    SELECT type, direction AS way FROM frames
    {{- end}}
    WHERE {{template "stored_frames"}}
    {{- template "in_span" .}}
    {{- if .Careful}}
    GROUP BY stream_id, seq
    {{- end}})
GROUP BY type, way
ORDER BY frames DESC, type, way
