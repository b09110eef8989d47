// Package sessioncache keeps what readers need of sessions in memory, for all readers of a process.
//
// A value belongs to a session and a kind, such as its streams or its first frames. Get checks with
// JetStream that the session was not announced as changed (schema/lifecycle/change) since the value
// was read, and returns the value. Otherwise one load serves all waiting callers. A change removes
// all values of its session. While the check fails, since NATS is unavailable, the cache returns no
// values: every reader loads for itself.
//
// The cache is bounded in bytes. It evicts the least recently used values first.
package sessioncache
