{{- /* The columns of a table that are stored. */ -}}
SELECT groupArray(name) FROM (
    SELECT name FROM system.columns
    WHERE database = {database:String} AND table = {table:String} AND default_kind != 'ALIAS' ORDER BY position)
