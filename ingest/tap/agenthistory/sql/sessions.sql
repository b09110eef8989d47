-- The sessions of a database of OpenCode, with the size of what is recorded of them from this table.
SELECT id, parent_id, directory, time_created, time_updated, coalesce(octet_length(directory), 0) + coalesce(octet_length(title), 0)
FROM session
