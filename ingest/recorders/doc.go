// Package recorders tracks which recording processes are alive.
//
// Every recorder has a random id, which is stored with the streams that it records. A
// process that is connected to NATS publishes a heartbeat on Subject every 10 s, and at
// once when a client connects: its own id and the ids of the clients that are connected
// to it, each as one of its tenant (Of). That is one message for a process, however many streams it records. Nothing is
// stored. A recorder without a heartbeat for 35 s counts as gone, until the next one.
package recorders

import "time"

// Subject is where heartbeats are published: {"recorders":["<id>",…]}.
const Subject = "tapedeck.recorders"

const (
	// Every is the interval between heartbeats.
	Every = 10 * time.Second
	// Lifetime is how long a heartbeat is valid: two may be missed.
	Lifetime = 35 * time.Second
)

// heartbeat is the content of a message.
type heartbeat struct {
	Recorders []string `json:"recorders"`
}

const (
	// idLimit bounds an id, bytes, of a tenant's recorder with the tenant.
	idLimit = 64 + 1 + 64
	// idsPerMessage bounds the ids of a message, so that it stays far below NATS's
	// max_payload.
	idsPerMessage = 4096
	// known bounds the recorders that a Registry tracks at a time.
	known = 100_000
)

// Of returns the id under which the recorder of a tenant's client is announced. It counts for
// the tenant's streams alone: a client names its recorder itself. The id of a server has no
// tenant and counts for all.
func Of(tenant, id string) string { return tenant + "/" + id }
