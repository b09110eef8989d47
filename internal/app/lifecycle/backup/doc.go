// Package backup writes backups of an installation and restores them.
//
// A backup is a ClickHouse BACKUP of a snapshot: every table is cloned within moments by
// hard links, so that what is hashed and what is written are the same rows while recording
// goes on. The snapshot also holds the entries of JetStream's buckets that cannot be derived
// (tokens, shared links, last bills) and a manifest: for each session and table the number
// of rows and bytes and a hash. Everything of a backup is thus in one place, be it a
// directory or an S3-compatible storage, and ClickHouse alone reads and writes there.
//
// A restore goes into a database of its own, is hashed there and compared with the
// manifest, and only then renamed to the installation's tables. docs/operate/backup.md
// describes the use.
package backup
