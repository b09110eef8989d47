SELECT version, step, event, argMax(checksum, at), max(oldest), argMax(text, at), argMax(program, at),
    max(at) < (SELECT max(at) FROM schema_steps WHERE event = 'forgotten')
FROM schema_steps WHERE event IN ('done', 'whole') GROUP BY version, step, event
