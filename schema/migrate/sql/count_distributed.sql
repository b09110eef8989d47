SELECT count() FROM system.tables WHERE database = currentDatabase() AND engine = 'Distributed'
