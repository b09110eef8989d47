{{- /* A single extraction of all four fields reads a line once; four would read it four times,
which would lower the limit. */ -}}
INSERT INTO lines (session_id, node_id, event_id, type, raw)
SELECT fields.1, fields.2, fields.3, fields.4, line
FROM
(
    SELECT line, JSONExtract(line, 'Tuple(session_id String, node_id String, event_id UInt64, type String)') AS fields
    FROM input('line String')
)
FORMAT Native
