SELECT hash, imported_at, file_name, file
FROM price_tables
ORDER BY imported_at DESC, hash
LIMIT 1
