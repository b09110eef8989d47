SELECT name FROM system.columns WHERE database = currentDatabase() AND table = 'schema_lock' AND startsWith(name, 'generation_')
