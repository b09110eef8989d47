package anthropic

import (
	"bytes"

	"github.com/valyala/fastjson"

	"tapedeck/schema"
)

// Fail ends the message in progress with an error: the member error of an error event, or of the
// body of a refused request.
func (m *Messages) Fail(v *fastjson.Value) {
	typ, text := v.GetStringBytes("type"), v.GetStringBytes("message")
	if v != nil && v.Type() == fastjson.TypeString {
		text = v.GetStringBytes()
	}
	switch {
	case len(typ) > 0 && len(text) > 0:
		text = bytes.Join([][]byte{typ, text}, []byte(": "))
	case len(text) == 0:
		text = typ
	}
	m.fail(text)
}

func (m *Messages) fail(text []byte) {
	t := m.trace
	if len(text) == 0 {
		text = []byte("error")
	}
	if m.Runs && t.Run() == nil { // no message is known
		t.RunID = ""
		t.InRun()
	}
	t.Say(schema.MessageError, text)
	if !m.open && !m.asked && !m.Runs {
		return // there is nothing to end
	}
	m.close(schema.StatusError, text)
}
