{{- /* The macros of a server that replicated tables need, '' for those that it lacks. */ -}}
SELECT anyIf(substitution, macro = 'shard'), anyIf(substitution, macro = 'replica') FROM system.macros
