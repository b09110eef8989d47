SELECT DISTINCT session_id FROM redecodes WHERE tenant = {tenant:String} AND generation >= {since:UInt64}
