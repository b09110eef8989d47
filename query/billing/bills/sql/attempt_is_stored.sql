SELECT count() AS n FROM bills WHERE tenant = {tenant:String} AND attempt = {attempt:String}
