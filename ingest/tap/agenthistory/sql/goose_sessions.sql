-- The sessions of a database of Goose, with the times of their beginning and of their last change, s.
SELECT id, working_dir, coalesce(CAST(strftime('%s', created_at) AS INTEGER), 0), coalesce(CAST(strftime('%s', updated_at) AS INTEGER), 0)
FROM sessions
