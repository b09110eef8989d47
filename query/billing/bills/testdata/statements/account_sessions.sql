SELECT DISTINCT session_id FROM streams WHERE tenant = {tenant:String} AND tags[{tag:String}] = {value:String}
