SELECT bill FROM bills FINAL
WHERE tenant = {tenant:String} AND number = {number:String}
ORDER BY period DESC, account
