// Package torture tests delivery under faults. It runs the parts as separate processes (NATS,
// ClickHouse, an ingest server, sinks, a query server, recording commands) under load, and
// meanwhile kills and stops processes, cuts connections and fills disks. After every round it
// compares the acknowledged frames with what a reader receives: every frame once, byte for byte, in
// order, and the same facts, tokens and tool calls as without faults.
//
//	make torture ROUNDS=200
//
// A round's faults depend only on its seed, which a failure prints; -torture.seed
// starts with that seed.
package torture
