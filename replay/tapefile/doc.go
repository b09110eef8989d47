// Package tapefile keeps sessions in a file: every frame with its bytes, times
// and envelope, the streams' states, and the facts. docs/format/tape.md describes
// the bytes.
//
// A file is made of records that each stand for themselves, so that it can be
// read while it is written, and up to the break when it was cut off. An index at
// its end, if it has come that far, says where everything is; without it the
// records are gone through once.
//
// A Writer writes a file, a Scanner reads it from its beginning, and a File plays
// it: it is a replay.Library, and needs no server.
package tapefile
