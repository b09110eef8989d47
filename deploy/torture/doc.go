// Package torture proves delivery: it runs the real parts as separate processes
// (NATS, ClickHouse, a server that takes streams in, sinks, a server that
// answers queries, recording commands), puts load on them, and while it does,
// kills, stops, cuts off and fills up. After every round it holds what was
// acknowledged against what a reader sees: every frame once, byte for byte, in
// order, and the same facts, tokens and tool calls that the same frames come to
// when nothing happens.
//
//	make torture ROUNDS=200
//
// A round's faults follow from its seed, which a failure names; -torture.seed
// begins there.
package torture
