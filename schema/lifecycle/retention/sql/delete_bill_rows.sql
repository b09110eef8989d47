ALTER TABLE bill_rows DELETE WHERE tenant = {tenant:String} AND attempt IN {attempts:Array(String)}
