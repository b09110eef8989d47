ALTER TABLE bills DELETE WHERE tenant = {tenant:String} AND number IN {numbers:Array(String)}
