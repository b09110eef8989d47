// Package snapshot reads a consistent state of an SQLite database that belongs to another program,
// without changing its files.
//
//	Read ──► stateOf ──► SQLite ──► readOnly, a VFS ──► database, log (-wal), index of the log (-shm)
//	         who uses    a read     which opens files
//	         it          transaction for reading only
//
// SQLite is github.com/ncruces/go-sqlite3, which is translated to Go. Each connection has a memory
// of its own, which a damaged file cannot make SQLite leave.
package snapshot
