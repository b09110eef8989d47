// Package callcount has a test that counts the calls of a block from the cut to JetStream and of its
// outcome back to the stream, with coverage profiles of a recording command and its server, and
// compares them with the table in docs/architecture.md.
package callcount
