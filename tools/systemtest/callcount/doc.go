// Package callcount tests the number of calls that a block takes from the cut to JetStream, and
// that its outcome takes back to the stream. It counts them with coverage profiles of a recording
// command and its server, and compares them with the table in docs/architecture.md.
package callcount
