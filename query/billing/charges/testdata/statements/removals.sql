SELECT 'expirations' AS name, max(_block_number) AS last FROM expirations WHERE tenant = {tenant:String}
 UNION ALL SELECT 'redecodes' AS name, max(_block_number) AS last FROM redecodes WHERE tenant = {tenant:String}
 UNION ALL SELECT 'tombstones' AS name, max(_block_number) AS last FROM tombstones WHERE tenant = {tenant:String}
