SELECT bucket, key, value FROM {{.}}.backup_entries ORDER BY bucket, key
