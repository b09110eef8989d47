-- The version of the schema.
SELECT max(version)
FROM schema_version
