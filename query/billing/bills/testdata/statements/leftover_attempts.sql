SELECT uniqExact(attempt) AS n FROM bill_rows
WHERE tenant = {tenant:String} AND account = {account:String} AND period IN {periods:Array(String)} AND attempt NOT IN {attempts:Array(String)}
