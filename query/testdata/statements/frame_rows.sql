SELECT count() AS found FROM frames WHERE tenant = {tenant:String} AND session_id = {session:String}
