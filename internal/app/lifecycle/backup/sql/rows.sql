{{- /* The tables of a database, with the number of their rows. */ -}}
SELECT name, toUInt64(ifNull(total_rows, 0)) FROM system.tables WHERE database = {database:String} ORDER BY name
