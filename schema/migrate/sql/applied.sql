SELECT version, name, checksum FROM schema_migrations FINAL
