package anthropic

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// why keeps the reason of a message's end, from the delta of a message_delta or from a whole
// message.
func (m *Messages) why(data []byte, v *fastjson.Value) {
	reason := v.GetStringBytes("stop_reason")
	if len(reason) == 0 {
		return
	}
	m.paused = string(reason) == "pause_turn"
	if m.output.refusal(v); m.usage != nil && m.Refuse(m.usage) {
		m.trace.Emitter.ChangedUsage(m.usage, m.trace.Frame)
	}
	m.attrs = m.attrs[:0]
	m.attrs.AddRaw("stop_reason", dialect.RawMember(data, "stop_reason"))
	for _, name := range []string{"stop_sequence", "stop_details"} {
		if raw := dialect.RawMember(data, name); string(raw) != "null" {
			m.attrs.AddRaw(name, raw)
		}
	}
}

// end ends the message in progress with the status ok.
func (m *Messages) end() {
	if !m.open {
		return
	}
	for len(m.blocks) > 0 {
		m.stop(m.blocks[0].index) // some servers send no content_block_stop
	}
	m.close(schema.StatusOK, nil)
}

// close ends the message in progress, and its run if messages are runs.
func (m *Messages) close(status schema.Status, why []byte) {
	t := m.trace
	span := t.Call()
	if m.Runs {
		span = t.InRun()
	}
	m.noteMixed()
	if m.RequestID != "" {
		m.attrs.AddText("request_id", m.RequestID)
		m.RequestID = ""
	}
	if span != nil {
		span.Attributes = m.attrs.Text()
		if len(why) > 0 {
			span.Error = dialect.Short(why)
		}
	}
	if m.paused {
		m.wait()
	}
	m.stopBlocks()
	t.CompleteAll()
	if m.Runs {
		t.EndRun(status, nil)
	} else {
		t.EndCall(status)
	}
	m.open, m.asked, m.paused, m.attrs = false, false, false, nil
	m.order.ended = m.order.started && status == schema.StatusOK
}

// noteMixed notes on a message that it may have events of another message.
func (m *Messages) noteMixed() {
	if m.order.mixed {
		m.attrs.AddRaw(schema.Inseparable, []byte("true"))
	}
}

// wait sets the calls that the server executes to waiting: the turn continues in another
// response.
func (m *Messages) wait() {
	for _, tool := range m.trace.OpenTools() {
		if tool.Span.Status == schema.StatusOpen && tool.Span.Ended == 0 {
			m.trace.Wait(tool)
		}
	}
}

// cut settles a message without an end, as another begins.
func (m *Messages) cut() {
	if !m.open {
		return
	}
	t := m.trace
	m.stopBlocks()
	m.noteMixed()
	if m.Runs {
		if run := t.Run(); run != nil {
			run.Attributes = m.attrs.Text()
		}
		t.Abandon()
	} else if call := t.Call(); call != nil {
		call.Attributes = m.attrs.Text()
		t.CompleteAll()
		t.EndCallAt(schema.StatusUnclosed, 0)
	}
	m.open, m.asked, m.paused, m.attrs = false, false, false, nil
}

// GiveUp settles what is in progress without an end, since no more frames will come.
func (m *Messages) GiveUp() {
	m.cut()
	if m.Runs {
		m.trace.Abandon()
	}
	m.asked = false
}
