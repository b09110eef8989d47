{{- /* How many tombstones a later backup has beyond those that were restored. */ -}}
SELECT count() FROM {{.Later}}.tombstones FINAL
WHERE (tenant, session_id, until) NOT IN (SELECT tenant, session_id, until FROM {{.Restored}}.tombstones)
