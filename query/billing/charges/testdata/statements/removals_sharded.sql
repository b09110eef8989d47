SELECT 'expirations' AS name, sum(last_of_shard) AS last FROM (
    SELECT max(_block_number) AS last_of_shard FROM expirations WHERE tenant = {tenant:String} GROUP BY _shard_num)
 UNION ALL SELECT 'redecodes' AS name, sum(last_of_shard) AS last FROM (
    SELECT max(_block_number) AS last_of_shard FROM redecodes WHERE tenant = {tenant:String} GROUP BY _shard_num)
 UNION ALL SELECT 'tombstones' AS name, sum(last_of_shard) AS last FROM (
    SELECT max(_block_number) AS last_of_shard FROM tombstones WHERE tenant = {tenant:String} GROUP BY _shard_num)
