// Package schema holds tapedeck's domain types: frames, the facts that a dialect derives
// from them, and the position of a frame in its session. All other packages use these
// types; this one imports none of them.
//
// Times are nanoseconds since the Unix epoch in UTC, as int64, with 0 for "not known". Text
// is UTF-8. Identifiers are opaque strings.
package schema
