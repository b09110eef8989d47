// Package erasure erases sessions, all sessions with a value of a tag, and tenants.
//
// An erasure is a record (schema/lifecycle/erasure) with the states requested, hidden, removed and
// verified. Every step can be repeated: if a server is killed during a step, this server or another
// one completes the erasure. docs/adr/0017-erasure.md explains the design.
package erasure
