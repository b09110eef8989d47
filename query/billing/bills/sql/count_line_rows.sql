{{- /* The number of rows of lines of a bill. */ -}}
SELECT count() AS n FROM bill_rows
WHERE tenant = {tenant:String} AND attempt IN {attempts:Array(String)}
    {{- template "of_lines" .}}
