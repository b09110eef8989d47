// Package erasure carries out erasures: of sessions, of all sessions with a value of a tag,
// and of a tenant.
//
// An erasure is a record (schema/lifecycle/erasure) that goes from requested over hidden and removed
// to verified. Every step may be repeated, so a server that is killed at any of them leaves
// a record that this server or another one completes. docs/adr/0017-erasure.md explains the
// design.
package erasure
