{{- /* How a table was created, with all later changes. */ -}}
SELECT groupArray(create_table_query) FROM system.tables WHERE database = currentDatabase() AND name = {table:String}
