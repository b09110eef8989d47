SELECT count() FROM system.tables WHERE database = currentDatabase() AND name IN ?
