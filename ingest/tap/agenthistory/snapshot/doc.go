// Package snapshot reads a consistent state of an SQLite database that belongs to another program,
// without changing the files of the database.
//
//	Read ──► stateOf ──► SQLite ──► readOnly, a VFS ──► database, log (-wal), index of the log (-shm)
//	         finds how   a read     that opens files
//	         it is used  transaction for reading only
//
// SQLite is the package github.com/ncruces/go-sqlite3, which is a translation to Go. Each
// connection has a memory of its own, and a damaged file cannot make SQLite access other memory.
package snapshot
