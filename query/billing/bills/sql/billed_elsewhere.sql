{{- /* Which of some charges were billed in other bills than those of an account. */ -}}
SELECT DISTINCT charge_id FROM bill_rows
WHERE tenant = {tenant:String} AND charge_id IN {charges:Array(String)} AND account != {account:String}
    AND attempt IN (SELECT attempt FROM bills WHERE tenant = {tenant:String})
