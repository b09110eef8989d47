{{- /* Whether the range holds running totals. */ -}}
SELECT count() AS found FROM (SELECT 1 FROM usage WHERE {{template "days" .}} AND {{template "current"}} AND mode = 'running' LIMIT 1)
