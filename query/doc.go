// Package query has the code that all queries on recordings share: the reader of ClickHouse with
// its limits, the loader of SQL files, pages and cursors, and the JSON forms of values.
//
// The folders below it are groups of packages. pricing has price tables and the costs of usage.
// facts reads the facts of sessions that several queries need: streams, merged spans, usage
// records. sessionfilter finds the sessions that pass a filter. session has lists of sessions and
// the pages of one session, report has reports over a range of time, billing has charges and bills.
// search and compare are single packages. http combines all handlers into one server.
//
// A package of a query has its SQL in sql/, its result types, its HTTP handler and its tests. A
// result is a struct whose JSON form is the answer of the API: times in RFC 3339 and UTC, durations
// in milliseconds under names that end in _ms, null for an unknown value. Queries only read, except
// that session/deletion deletes sessions and billing/bills closes bills.
//
// A table may contain a row several times until ClickHouse merges its parts, and several streams
// may report the same fact. Every report counts a fact once.
package query
