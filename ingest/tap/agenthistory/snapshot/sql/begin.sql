-- Settings of a connection to a database of somebody else, and the transaction in which all of a read happens: it sees one state.
PRAGMA query_only = ON;
PRAGMA trusted_schema = OFF;
PRAGMA cell_size_check = ON;
PRAGMA temp_store = MEMORY;
BEGIN;
