{{- /* The number of the last bill with a prefix. */ -}}
SELECT max(sequence) AS n FROM bills WHERE tenant = {tenant:String} AND prefix = {prefix:String}
