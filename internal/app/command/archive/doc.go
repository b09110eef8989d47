// Package archive copies the tapes of ended sessions and the charges of past days from a server to a directory or a
// bucket, again and again: each run copies what is new or has changed. An archive consists of
//
//	archive.json                     the position of the last run, and the files of charges
//	tapes/2026/11/28/index.ndjson    the tapes of the sessions that began on that day (UTC)
//	tapes/2026/11/28/ID.tape         the tape of one session
//	charges/2026-11-28.parquet       the charges of that day (UTC)
//
// A file is stored before the index that names it, with the SHA-256 of its content, so that a run that was
// interrupted leaves an archive that can be read and continued.
package archive
