{{- /* The version of a member of a cluster, and which tables of the schema its database has that are not Distributed. */ -}}
SELECT version(), (
    SELECT arraySort(groupArray(name)) FROM system.tables
    WHERE database = {database:String} AND name IN {tables:Array(String)} AND engine != 'Distributed')
