SELECT DISTINCT session_id FROM streams WHERE tenant = {tenant:String} AND ({until:String} = '' OR stream_id <= {until:String})
ORDER BY session_id
