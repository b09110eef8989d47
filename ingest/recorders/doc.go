// Package recorders tracks which recording processes are alive.
//
// Every recorder has a random id, which is stored with the streams that it records. A process that
// is connected to NATS publishes a heartbeat on Subject every 10 s, and at once when a client
// connects. A heartbeat has the process's own id and the ids of the clients that are connected to
// it, each qualified by its tenant (Of). A process sends one message, regardless of how many
// streams it records. Nothing is stored. A recorder without a heartbeat for 35 s counts as gone
// until its next heartbeat.
package recorders

import "time"

// Subject is the subject of heartbeats: {"recorders":["<id>",…]}.
const Subject = "tapedeck.recorders"

const (
	// Every is the interval between heartbeats.
	Every = 10 * time.Second
	// Lifetime is how long a heartbeat is valid: two heartbeats may be missed.
	Lifetime = 35 * time.Second
)

// heartbeat is the content of a message.
type heartbeat struct {
	Recorders []string `json:"recorders"`
}

const (
	// idLimit bounds an id, bytes: a tenant and the id of the tenant's recorder.
	idLimit = 64 + 1 + 64
	// idsPerMessage bounds the ids of a message, to keep it far below NATS's max_payload.
	idsPerMessage = 4096
	// known bounds the recorders that a Registry tracks.
	known = 100_000
)

// Of returns the id under which the recorder of a tenant's client is announced. The id is valid
// only for the tenant's streams, since a client chooses the id of its recorder. The id of a server
// has no tenant and is valid for all streams.
func Of(tenant, id string) string { return tenant + "/" + id }
