// Package link carries blocks from a recording process to a tapedeck server,
// over one WebSocket at /v1/blocks. The client sends parcels, each a binary
// message; the server answers, as JSON text messages, how many of them its own
// publisher has confirmed, and which it refuses. A connection that breaks is
// made anew, and what was not confirmed is sent again: blocks are named and
// frames are keyed, so that a block which came twice changes nothing.
package link

import (
	"encoding/binary"
	"errors"
	"fmt"

	"tapedeck/ingest"
)

// Path is where a server takes blocks.
const Path = "/v1/blocks"

// Protocol is the WebSocket subprotocol; its number rises when the messages change.
const Protocol = "tapedeck.blocks.1"

// messageLimit bounds one message, bytes.
const messageLimit = 64 << 20

// answer is what a server says. Messages of a connection are numbered from 1.
type answer struct {
	// Confirmed: all messages up to this one have their fate.
	Confirmed uint64 `json:"confirmed"`
	// Refused are those among them that were not taken.
	Refused []refusal `json:"refused,omitempty"`
}

type refusal struct {
	Message   uint64 `json:"message"`
	Reason    string `json:"reason"`
	Permanent bool   `json:"permanent"`
}

// appendParcel appends a parcel's message: id, tenant and session, each after
// its length, the number of frames, the block. Numbers are unsigned varints.
func appendParcel(dst []byte, p *ingest.Parcel) []byte {
	for _, s := range [...]string{p.ID, p.Tenant, p.Session} {
		dst = binary.AppendUvarint(dst, uint64(len(s)))
		dst = append(dst, s...)
	}
	dst = binary.AppendUvarint(dst, uint64(p.Frames))
	return append(dst, p.Data...)
}

var errParcel = errors.New("not a parcel")

// parseParcel is the reverse; Data aliases the message.
func parseParcel(message []byte) (ingest.Parcel, error) {
	var p ingest.Parcel
	for _, s := range [...]*string{&p.ID, &p.Tenant, &p.Session} {
		n, size := binary.Uvarint(message)
		if size <= 0 || n > uint64(len(message)-size) {
			return p, fmt.Errorf("%w: cut short", errParcel)
		}
		*s = string(message[size : size+int(n)])
		message = message[size+int(n):]
	}
	frames, size := binary.Uvarint(message)
	if size <= 0 || frames > 1<<31 {
		return p, fmt.Errorf("%w: bad number of frames", errParcel)
	}
	p.Frames, p.Data = int(frames), message[size:]
	if p.Session == "" || len(p.Data) == 0 {
		return p, fmt.Errorf("%w: no session or no block", errParcel)
	}
	return p, nil
}
