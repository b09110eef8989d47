// Package anthropic reads the streams of Anthropic's Messages API and of the many servers that
// implement it. docs/dialects/anthropic-messages.md describes how it reads them.
package anthropic

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
)

// Messages reads the events of the Messages API (message_start, content_block_… and so on) from
// the data of SSE events, and records facts. It is for every dialect whose streams contain these
// events. The caller calls Begin and Done of the conversation's Stream, and sets the Envelope and
// the flags.
//
// The state of a message is bounded, and is released when the message ends.
type Messages struct {
	// Runs: every message is a run, as in the API. Otherwise a message is a call of a model in
	// the conversation's run, which the caller keeps.
	Runs bool
	// Agent: the sender of the events executes the tools. Otherwise a call waits for the client's
	// next request.
	Agent bool
	// RequestID, if set, becomes an attribute of the next message to end.
	RequestID string

	trace *model.Conversation

	open   bool   // a message is in progress
	asked  bool   // a run and a call wait for their message (see Asked)
	order  order  // which events may follow
	id     string // of the message in progress or the last one
	attrs  dialect.Attributes
	paused bool // the message stopped with pause_turn, and another continues it
	blocks []block
	tail   tail
	usage  *dialect.Usage // of the message in progress or the last one
	counts []byte         // the merged usage (see overlay)
	others others         // usage of other models for the message
	output output         // what the models of the message generated
	ids    dialect.Last
}

// NewMessages returns a reader of the messages of one conversation.
func NewMessages(t *model.Conversation) *Messages { return &Messages{trace: t} }

// ID returns the id of the message in progress or of the last one, or "".
func (m *Messages) ID() string { return m.id }

// Open reports whether a message is in progress.
func (m *Messages) Open() bool { return m.open }

// Usage returns the usage of the message in progress or of the last one, or nil while nothing is
// counted. Later events change it.
func (m *Messages) Usage() *dialect.Usage { return m.usage }

// Asked begins a call of a model, and a run if messages are runs, for the message that will answer
// a request. at is when the request began, ns.
func (m *Messages) Asked(at int64) {
	t := m.trace
	m.cut()
	t.Billing.RequestID, t.Billing.MessageID = "", ""
	m.id, m.usage, m.asked, m.order = "", nil, true, order{}
	if m.Runs {
		t.ForgetRun()
		t.OpenRun("").Started = at
	}
	t.OpenCall().Started = at
}

// Event reads one event. data is its JSON and v the same, parsed; Event keeps neither. It reports
// whether the event's type and the types in it are known. Unknown ones change nothing.
func (m *Messages) Event(data []byte, v *fastjson.Value) (known bool) {
	return m.event(dialect.Alias(v.GetStringBytes("type")), data, v)
}

func (m *Messages) event(typ string, data []byte, v *fastjson.Value) (known bool) {
	if (!m.open && m.order.ended || m.order.cut > 0) && m.misplaced(typ, data, v) {
		return true
	}
	switch typ {
	case "content_block_delta":
		return m.delta(data, v)
	case "content_block_start":
		m.begin(nil)
		return m.startBlock(v.GetInt("index"), dialect.RawMember(data, "content_block"), v.Get("content_block"))
	case "content_block_stop":
		return m.stopBlock(v.GetInt("index"), data, v)
	case "message_start":
		return m.start(dialect.RawMember(data, "message"), v.Get("message"))
	case "message_delta":
		m.change(data, v)
	case "message_stop":
		m.end()
	case "ping":
	case "error":
		m.Fail(v.Get("error"))
	default:
		return false
	}
	return true
}

// start begins a message. A repeated message_start continues the message. A message may have all
// of its content and its stop reason in its start: then no blocks follow.
func (m *Messages) start(data []byte, v *fastjson.Value) (known bool) {
	if !dialect.IsObject(v) {
		return false
	}
	id := v.GetStringBytes("id")
	if m.open && len(id) > 0 && m.id == string(id) {
		m.count(dialect.RawMember(data, "usage"))
		return true
	}
	cut := m.order.cutBy(m, id)
	m.cut()
	m.begin(id)
	m.order = order{started: true, cut: cut}
	m.model(v.GetStringBytes("model"))
	m.count(dialect.RawMember(data, "usage"))
	known = m.Content(dialect.RawMember(data, "content"), v.Get("content"))
	if len(m.output.declined) > 0 { // only the content states which model declined
		m.others.record(m.trace, m.id, Shares(m.counts, m.trace.Model), &m.output)
	}
	m.why(data, v)
	return known
}

// startIn reads the message of an unknown event. A message without content and reason to stop is
// the start of a message: a server may name the event differently, or a byte of its name may be
// damaged. It changes nothing while a message is in progress, nor after the end of that message.
func (m *Messages) startIn(data []byte, v *fastjson.Value) {
	if m.open || !isStart(v) || isMessage(v) || m.order.ended && m.id == string(v.GetStringBytes("id")) {
		return
	}
	m.start(data, v)
}

// begin begins a message if none is in progress.
func (m *Messages) begin(id []byte) {
	if m.open {
		return
	}
	t := m.trace
	m.open, m.usage, m.counts = true, nil, m.counts[:0]
	m.order, m.others, m.output = order{}, others{}, output{}
	m.id = m.ids.Own(id)
	t.Billing.MessageID = m.id
	switch {
	case m.Runs && m.asked:
		t.NameRun(m.id)
	case m.Runs:
		t.RunID = m.id
		t.OpenRun("")
	}
	if !m.asked || t.Call() == nil {
		t.OpenCall()
	}
	m.asked = false
}

// model sets the model that answers, which may be named more exactly than in the request.
func (m *Messages) model(name []byte) {
	if m.Runs {
		m.trace.CorrectModel(name, "", m.trace.Call(), m.trace.Run())
	} else {
		m.trace.CorrectModel(name, "", m.trace.Call())
	}
}

// change reads a message_delta: the stop reason and the usage. Gateways send it after the end as
// well; then only the usage counts.
func (m *Messages) change(data []byte, v *fastjson.Value) {
	if !m.open && m.usage == nil {
		m.begin(nil)
	}
	m.count(dialect.RawMember(data, "usage"))
	if m.open {
		m.why(dialect.RawMember(data, "delta"), v.Get("delta"))
	}
}

// Whole records a message that was not streamed. For a message that has just ended, it only counts
// the usage: other events may repeat the message as a whole.
func (m *Messages) Whole(data []byte, v *fastjson.Value) (known bool) {
	if id := v.GetStringBytes("id"); !m.open && m.order.ended && len(id) > 0 && m.id == string(id) {
		m.count(dialect.RawMember(data, "usage"))
		return true
	}
	asked := m.asked
	known = m.start(data, v)
	if call := m.trace.Call(); !asked && call != nil { // only the end of the call was seen
		call.Started, call.FirstToken = 0, 0
		if m.Runs {
			m.trace.InRun().Started = 0
		}
	}
	m.end()
	return known
}
