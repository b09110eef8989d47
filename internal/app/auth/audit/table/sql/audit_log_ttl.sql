SELECT create_table_query FROM system.tables WHERE database = currentDatabase() AND name = 'audit_log'
