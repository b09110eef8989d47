// Package snapshot reads an SQLite database that belongs to another program, in one state of it, without a change to its files.
//
//	Read ──► stateOf ──► SQLite ──► readOnly, a VFS ──► database, log (-wal), index of the log (-shm)
//	         who uses    a read     which opens files
//	         it          transaction for reading only
//
// SQLite is github.com/ncruces/go-sqlite3: translated to Go, with a memory of its own for each connection, outside of which a
// damaged file cannot lead it.
package snapshot
