// Package recorders keeps track of which recording processes live.
//
// Every recorder has a random id, which stands in the streams that it records. A
// process that is connected to NATS publishes the ids of the recorders that it
// speaks for, its own and those linked to it, on Subject: every 10 s, and at once
// when one comes. That is one message for a process, however many streams it records.
// Nothing is stored. A reader that hears nothing of a recorder for 35 s takes it to
// be gone, and to be back when it is heard again.
package recorders

import "time"

// Subject is where signs of life are published: {"recorders":["<id>",…]}.
const Subject = "tapedeck.recorders"

const (
	// Every is the time from one sign of life to the next.
	Every = 10 * time.Second
	// Lifetime is how long one holds: two may be missed.
	Lifetime = 35 * time.Second
)

// signs is a message.
type signs struct {
	Recorders []string `json:"recorders"`
}

const (
	// idLimit bounds an id, bytes.
	idLimit = 64
	// idsPerMessage bounds the ids of a message, so that it stays far below what
	// NATS takes.
	idsPerMessage = 4096
	// known bounds the recorders that a Registry knows of at a time.
	known = 100_000
)
