-- One session.
SELECT id, project_id, parent_id, directory, title, version, time_created
FROM session
WHERE id = ?1
LIMIT 1
