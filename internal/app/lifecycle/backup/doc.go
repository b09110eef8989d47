// Package backup writes backups of an installation and restores them.
//
// A backup is a ClickHouse BACKUP of a snapshot. Hard links clone every table within moments, so
// that the same rows are hashed and written while recording continues. The snapshot also contains
// the entries of JetStream's buckets that cannot be derived (tokens, shared links, last bills) and
// a manifest: for each session and table the number of rows and bytes and a hash. So the whole
// backup is in one place, a directory or an S3-compatible storage, and only ClickHouse reads and
// writes there.
//
// A restore writes to a separate database, hashes it and compares it with the manifest. Only then
// does it rename the tables to those of the installation. docs/operate/backup.md describes the use.
package backup
