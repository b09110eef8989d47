{{- /* The tables of the local database of a member without a Distributed table of the same columns and the given engine. */ -}}
SELECT arraySort(groupArray(of_local.table)) FROM ({{template "columns" "local"}}) AS of_local
LEFT JOIN ({{template "columns" "database"}}) AS of_cluster ON of_local.table = of_cluster.table
LEFT JOIN (SELECT name, engine_full FROM system.tables WHERE database = {database:String}) AS made ON of_local.table = made.name
WHERE of_local.list != of_cluster.list
    OR replaceOne(made.engine_full, concat('\'', of_local.table, '\''), '\'\'') != if(of_local.table IN {of_session:Array(String)}, {sessions:String}, {first:String})
{{- define "columns"}}
    SELECT table, groupArray((name, type, default_kind, default_expression)) AS list FROM (
        SELECT table, name, type, default_kind, default_expression FROM system.columns
        WHERE database = { {{- .}}:String} AND table IN {tables:Array(String)} ORDER BY table, position)
    GROUP BY table
{{- end}}
