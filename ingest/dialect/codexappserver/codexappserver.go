// Package codexappserver reads the protocol of "codex app-server": JSON-RPC messages without the
// member jsonrpc, between a client such as an editor and Codex, over stdio, a WebSocket or a Unix
// socket. docs/dialects/codex-app-server.md describes how it reads them.
package codexappserver

import (
	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
	"tapedeck/schema"
)

// Dialect is the protocol of "codex app-server".
var Dialect = dialect.Dialect{Name: "codex-app-server", Match: match, New: newDecoder}

// decoder reads one connection.
type decoder struct {
	model.Stream
	threads []*thread                 // the latest is the last
	present *thread                   // the thread of the present frame
	waiting dialect.Requests[request] // without a response
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
	for _, t := range d.threads {
		t.leave()
	}
	d.Done()
}

// thread is one thread of the connection: a conversation.
type thread struct {
	model.Conversation
	d    *decoder
	last dialect.Last // the thread's id
	// asked is when the next call of a model began, ns: at the start of the turn or the last end of a
	// tool. It is 0 while none is expected. said is when the call in progress had its last output, ns.
	asked, said int64
	called      *dialect.Span // the latest call of a model of the turn
	turn        string        // the id of the turn in progress
	plan        []byte        // of the turn, JSON
	prompted    bool          // the turn's input was read from the request of the client
	streamed    string        // the id of the item of reasoning whose parts came in pieces
	totals      totals
}

// threadLimit bounds the threads of one connection that are followed.
const threadLimit = 64

// thread makes the thread with an id the present one. It begins to follow it if it is new. It
// returns nil for no id.
func (d *decoder) thread(id []byte) *thread {
	if len(id) == 0 {
		return nil
	}
	for _, t := range d.threads {
		if t.Session == string(id) {
			d.present = t
			return t
		}
	}
	if len(d.threads) == threadLimit {
		d.threads[0].leave()
	}
	t := &thread{d: d}
	t.Conversation = model.Conversation{Stream: &d.Stream, LocalTools: true, Session: t.last.Own(id)}
	d.threads = dialect.AppendRecent(d.threads, t, threadLimit)
	d.present = t
	return t
}

// leave settles what is open in the thread.
func (t *thread) leave() {
	t.endCall(schema.StatusUnclosed)
	t.Abandon()
}

// inCall begins a call of a model for output of the model. The protocol does not state when a model
// is called: it is at the start of the turn and after the end of the last tool.
func (t *thread) inCall() {
	if t.Call() == nil {
		t.called = t.OpenCall()
		if t.asked != 0 {
			t.called.Started = t.asked
		}
		t.asked = 0
	}
	t.said = t.d.Frame.At
}

// endCall ends the call of the model at its last output. With the status unclosed it sets no end.
func (t *thread) endCall(status schema.Status) {
	t.CompleteAll()
	if status != schema.StatusUnclosed {
		t.EndCallAt(status, t.said)
	}
}
