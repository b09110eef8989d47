// Package query holds what all reports on recordings share: the reader of ClickHouse with
// its limits, pages and cursors, periods, token sums.
//
// Each folder below it answers one question: sessionlist lists sessions, sessiondetail,
// sessionframes, timeline and transcript show one, usagereport sums tokens, toolreport
// measures tools, facets counts values to filter by. A folder has the question's SQL in
// sql/, its result types, its HTTP handler and its tests. A result is a struct whose JSON
// form is what the API sends: times in RFC 3339 and UTC, durations in milliseconds under
// names that end in _ms, null for what is unknown. Reports only read; the folder deletion
// removes sessions.
//
// Rows may stand in a table several times until ClickHouse merges them, and several streams
// may report the same fact. Every report counts it once.
package query
