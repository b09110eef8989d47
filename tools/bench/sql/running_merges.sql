SELECT count() FROM system.merges WHERE database = currentDatabase()
