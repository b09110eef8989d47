{{- /* Which views the current database has; like is '' or another database that must have the same query for each. */ -}}
SELECT groupArray(name) FROM system.tables
WHERE database = currentDatabase() AND name IN {names:Array(String)} AND ({like:String} = '' OR (name, as_select) IN (
    SELECT name, replaceAll(as_select, {like:String}, currentDatabase()) FROM system.tables
    WHERE database = {like:String} AND name IN {names:Array(String)}))
