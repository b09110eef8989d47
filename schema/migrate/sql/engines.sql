{{- /* The engines of tables by name, '': of the current database. */ -}}
SELECT CAST(groupArray((name, engine)), 'Map(String, String)') FROM system.tables
WHERE database = if({database:String} = '', currentDatabase(), {database:String}) AND name IN {tables:Array(String)}
