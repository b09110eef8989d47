INSERT INTO price_tables (hash, imported_at, file_name, file, text)
