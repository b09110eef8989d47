{{- /* The tenants with usage that spans state. */ -}}
SELECT DISTINCT tenant FROM usage WHERE dialect = 'otlp'
