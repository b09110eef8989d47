{{- /* How a table was made, with all later changes: its definition and its engine with the settings; '' if it does not exist. */ -}}
SELECT any(create_table_query), any(engine_full) FROM system.tables WHERE database = currentDatabase() AND name = {table:String}
