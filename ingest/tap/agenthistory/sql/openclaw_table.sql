-- A row if there is a table of lines, whatever its columns are.
SELECT 1
FROM sqlite_schema
WHERE name = 'transcript_events'
