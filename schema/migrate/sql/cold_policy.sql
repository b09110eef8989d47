{{- /* The volumes of a storage policy, and those that the tables of a database use today ('': of the current one). */ -}}
SELECT groupArrayIf(volume_name, policy_name = {policy:String}),
    groupUniqArrayIf(volume_name, policy_name IN (
        SELECT storage_policy FROM system.tables WHERE database = if({database:String} = '', currentDatabase(), {database:String}) AND name IN {tables:Array(String)}))
FROM system.storage_policies
