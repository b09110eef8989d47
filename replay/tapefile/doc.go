// Package tapefile stores sessions in a file: every frame with its bytes, times and envelope, the
// streams' states, and the facts. docs/format/tape.md describes the format.
//
// A file consists of independent records, so that it can be read while it is being written and, if
// it was truncated, up to the break. A complete file ends with an index of the records; without the
// index a reader scans all records once.
//
// A Writer writes a file, a Scanner reads it sequentially, and a File plays it. File is a
// replay.Library and needs no server.
package tapefile
