// Package schema holds tapedeck's domain types: what a frame is, what a dialect
// concludes from frames (facts), and where a frame stands in its session
// (position). Every other package speaks in these types; this one imports none
// of them.
//
// Times are nanoseconds since the Unix epoch in UTC, as int64, with 0 for
// "not known". Text is UTF-8. Identifiers are opaque strings.
package schema
