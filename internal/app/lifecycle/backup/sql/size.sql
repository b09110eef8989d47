{{- /* The rows of a database, and their bytes on disk. */ -}}
SELECT toInt64(sum(rows)), toInt64(sum(bytes_on_disk)) FROM system.parts WHERE database = {database:String} AND active
