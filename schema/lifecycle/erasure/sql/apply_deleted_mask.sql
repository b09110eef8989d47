{{- /* Removes rows of a table that were only marked as deleted. */ -}}
ALTER TABLE {{.}} APPLY DELETED MASK
