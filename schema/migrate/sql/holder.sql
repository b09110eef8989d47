{{- /* The latest that the holder of a generation recorded, and the statement that it began last. */ -}}
SELECT count(), toString(max(at)), argMax(event, at), argMax(holder, at),
    argMaxIf(version, at, event = 'begun'), argMaxIf(step, at, event = 'begun'), argMaxIf(text, at, event = 'begun')
FROM schema_steps WHERE generation = ?
