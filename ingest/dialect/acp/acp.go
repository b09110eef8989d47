// Package acp reads the Agent Client Protocol, version 1 and the draft of version 2: the JSON-RPC
// messages between an editor and an agent, as lines of stdio. docs/dialects/acp.md describes how it
// reads them.
package acp

import (
	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// Dialect is the Agent Client Protocol.
var Dialect = dialect.Dialect{Name: "acp", Match: match, New: newDecoder}

// decoder reads one connection.
type decoder struct {
	model.Stream
	sessions []*session                // the latest is the last
	present  *session                  // the session of the present frame
	waiting  dialect.Requests[request] // without a response
}

func newDecoder(string) dialect.Decoder { return &decoder{} }

// Decode implements dialect.Decoder.
func (d *decoder) Decode(in *dialect.Input, b *dialect.Emitter) {
	if in.JSON == nil {
		return
	}
	d.Begin(in, b)
	defer d.Done()
	d.present = nil
	if dialect.IsObject(in.JSON) {
		in.Type = d.message(&message{in.JSON, in.Data})
	} else {
		d.Unknown() // the protocol has no batches
	}
	if d.present != nil {
		d.present.Address()
	}
}

// End implements dialect.Decoder.
func (d *decoder) End(at int64, b *dialect.Emitter) {
	d.Stream.End(at, b)
	for _, s := range d.sessions {
		s.leave()
	}
	d.Done()
}

// session is one session of the connection.
type session struct {
	model.Conversation
	d    *decoder
	last dialect.Last // the session's id
	// asked is when the next call of a model began, ns: at the prompt or the last end of a tool. It
	// is 0 while none is expected. said is when the call in progress had its last output, ns.
	asked, said int64
	// loading: the agent repeats the history, which is not new.
	loading   bool
	prompting bool  // a prompt has no answer yet
	notes     notes // of the run
	cost      cost
	terminals []terminal
}

// sessionLimit bounds the sessions of one connection that are followed.
const sessionLimit = 64

// session makes the session with an id the present one. It begins to follow it if it is new. It
// returns nil for no id.
func (d *decoder) session(id []byte) *session {
	if len(id) == 0 {
		return nil
	}
	for _, s := range d.sessions {
		if s.Session == string(id) {
			d.present = s
			return s
		}
	}
	if len(d.sessions) == sessionLimit {
		d.sessions[0].leave()
	}
	s := &session{d: d}
	s.Conversation = model.Conversation{Stream: &d.Stream, LocalTools: true, Session: s.last.Own(id)}
	d.sessions = dialect.AppendRecent(d.sessions, s, sessionLimit)
	d.present = s
	return s
}

// leave settles what is open in the session.
func (s *session) leave() {
	s.endCall(schema.StatusUnclosed)
	s.Abandon()
}
