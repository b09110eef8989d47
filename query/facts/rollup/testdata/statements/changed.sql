SELECT tenant, session_id FROM (
    SELECT tenant, session_id FROM streams
    WHERE toUInt64OrZero(splitByChar('_', _part)[3]) > {block_streams:UInt64} AND _block_number > {block_streams:UInt64} AND session_id != '' AND tenant = {tenant:String} UNION ALL
    SELECT tenant, session_id FROM usage
    WHERE toUInt64OrZero(splitByChar('_', _part)[3]) > {block_usage:UInt64} AND _block_number > {block_usage:UInt64} AND session_id != '' AND tenant = {tenant:String})
GROUP BY tenant, session_id
LIMIT {limit:UInt64}
