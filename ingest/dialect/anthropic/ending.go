package anthropic

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// why keeps the reason for which a message ends, from a message_delta's delta
// or a whole message.
func (m *Messages) why(data []byte, v *fastjson.Value) {
	reason := v.GetStringBytes("stop_reason")
	if len(reason) == 0 {
		return
	}
	m.paused = string(reason) == "pause_turn"
	m.attrs = m.attrs[:0]
	m.attrs.AddRaw("stop_reason", dialect.RawMember(data, "stop_reason"))
	for _, name := range []string{"stop_sequence", "stop_details"} {
		if raw := dialect.RawMember(data, name); string(raw) != "null" {
			m.attrs.AddRaw(name, raw)
		}
	}
}

// end ends the message in progress, well.
func (m *Messages) end() {
	if !m.open {
		return
	}
	for len(m.blocks) > 0 {
		m.stop(m.blocks[0].index) // some servers leave it to this
	}
	m.close(schema.StatusOK, nil)
}

// close ends the message in progress, and the run if it is one.
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

// noteMixed notes of a message that events of it may be another's.
func (m *Messages) noteMixed() {
	if m.order.mixed {
		m.attrs.AddRaw(schema.Inseparable, []byte("true"))
	}
}

// wait lets calls that the server executes wait for the response in which the
// turn goes on.
func (m *Messages) wait() {
	for _, tool := range m.trace.OpenTools() {
		if tool.Span.Status == schema.StatusOpen && tool.Span.Ended == 0 {
			m.trace.Wait(tool)
		}
	}
}

// cut leaves a message that did not end, as another begins.
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

// GiveUp leaves what is in progress without an end, as no more will come.
func (m *Messages) GiveUp() {
	m.cut()
	if m.Runs {
		m.trace.Abandon()
	}
	m.asked = false
}
