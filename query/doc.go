// Package query answers questions about what was recorded: which sessions there
// are, what happened in one, how many tokens were used, how long tools took. It
// reads ClickHouse and writes nothing, but for removing a session.
//
// One file holds one report. Its SQL stands in sql/, and its result is a struct
// whose JSON form is what the API sends: times in RFC 3339 and UTC, durations in
// milliseconds under names that end in _ms, null for "not known".
//
// Rows may stand in a table several times until ClickHouse merges them, and a
// fact may be told by several streams. Every report counts it once.
package query
