// Package schema defines tapedeck's domain types: frames, the facts that a dialect derives from
// them, and the position of a frame in its session. All other packages use these types; this
// package imports none of them.
//
// Times are int64 nanoseconds since the Unix epoch in UTC; 0 means unknown. Text is UTF-8.
// Identifiers are opaque strings.
package schema
