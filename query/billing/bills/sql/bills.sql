{{- /* Bills of a tenant, the last period first; of one account, or one bill, if asked for. */ -}}
SELECT bill FROM bills FINAL
WHERE tenant = {tenant:String}
    {{- if .Account}} AND account = {account:String}{{end}}
    {{- if .Number}} AND number = {number:String}{{end}}
ORDER BY period DESC, account
