{{- /* Removes rows of attempts to close a period that was closed by another attempt. */ -}}
DELETE FROM bill_rows WHERE tenant = {tenant:String} AND account = {account:String} AND period = {period:String} AND attempt != {attempt:String}
