SELECT count() AS n FROM bill_rows WHERE tenant = {tenant:String} AND attempt = {attempt:String}
