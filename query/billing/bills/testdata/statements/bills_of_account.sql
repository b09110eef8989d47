SELECT bill FROM bills FINAL
WHERE tenant = {tenant:String} AND account = {account:String}
ORDER BY period DESC, account
