{{- /* How many attempts left rows of a period that was closed by another attempt. */ -}}
SELECT uniqExact(attempt) AS n FROM bill_rows
WHERE tenant = {tenant:String} AND account = {account:String} AND period = {period:String} AND attempt != {attempt:String}
