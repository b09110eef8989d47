{{- /* The volumes of a storage policy, and those that the tables use today. */ -}}
SELECT groupArrayIf(volume_name, policy_name = {policy:String}),
    groupUniqArrayIf(volume_name, policy_name IN (
        SELECT storage_policy FROM system.tables WHERE database = currentDatabase() AND name IN {tables:Array(String)}))
FROM system.storage_policies
