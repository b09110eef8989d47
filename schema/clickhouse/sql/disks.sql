{{- /* The disks with a size: object storage has none. */ -}}
SELECT name, unreserved_space, total_space FROM system.disks WHERE type = 'Local' ORDER BY name LIMIT 64
