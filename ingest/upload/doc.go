// Package upload carries blocks from a tap on any machine to a tapedeck server,
// over one WebSocket connection at GET /v1/blocks.
//
// The client sends binary messages, each one parcel (see message.go). They are
// numbered from 0 on each connection. The server sends text messages, each a
// JSON object:
//
//	{"hello":{"tenant":"acme","max_block":67108864,"alive_ms":5000}}
//	    first of all: whose the token is ("" if it may name any tenant), the
//	    largest block that is taken, bytes, and how often a sign of life comes
//	{"ack":41}
//	    every parcel up to and with number 41 is settled: durable, unless it was
//	    refused before
//	{"refused":{"number":42,"permanent":true,"reason":"…"}}
//	    this one was not taken. If that is permanent it is settled; otherwise the
//	    server closes the connection, and it and all behind it are sent again
//	{}
//	    a sign of life, at least every alive_ms
//
// A client names its recorder in the handshake's header Tapedeck-Recorder. The server
// includes this recorder in its heartbeats while the client sends parcels or answers
// WebSocket pings, which are sent with each heartbeat of the connection.
//
// A server that cannot take more at present stops reading. A client whose
// connection broke opens another and sends what was not settled again, in
// order: a parcel may arrive twice, but is never missing. The repeat is known by
// the parcel's id, and would change nothing if it were not, since blocks are
// stored by key.
package upload

// Protocol is the WebSocket subprotocol of this version.
const Protocol = "tapedeck.blocks.v1"

// RecorderHeader is the header of the handshake that names the client's recorder.
const RecorderHeader = "Tapedeck-Recorder"

// Path is where a server takes blocks.
const Path = "/v1/blocks"
