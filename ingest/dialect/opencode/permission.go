package opencode

import (
	"slices"

	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect/model"
)

// asked is a question to the user that a call waits for.
type asked struct {
	id, call string
	refused  bool
}

// openQuestions bounds those that are kept.
const openQuestions = 32

// ask reads a permission that is asked for, or a question: the call waits.
func (t *talk) ask(p *fastjson.Value) {
	call := p.GetStringBytes("tool", "callID")
	if call == nil {
		call = p.GetStringBytes("callID") // before version 1.1
	}
	tool := t.tr.OpenTool(call)
	if tool == nil {
		return
	}
	if len(t.asked) >= openQuestions {
		t.asked = slices.Delete(t.asked, 0, 1)
	}
	t.asked = append(t.asked, asked{id: string(p.GetStringBytes("id")), call: string(call)})
	tool.Attrs.AddTime("approval_at", t.Frame.At)
	t.tr.Noted(tool)
	t.tr.Wait(tool)
}

// answered reads the user's answer. A call that may go on is executed from now
// on; one that may not ends with its error.
func (t *talk) answered(p *fastjson.Value, refused bool) {
	id := p.GetStringBytes("requestID")
	for _, name := range []string{"permissionID", "id"} {
		if id == nil {
			id = p.GetStringBytes(name)
		}
	}
	for _, name := range []string{"reply", "response"} {
		refused = refused || string(p.GetStringBytes(name)) == "reject"
	}
	for i := range t.asked {
		if a := &t.asked[i]; a.id == string(id) {
			a.refused = refused
			if tool := t.tr.OpenTool([]byte(a.call)); tool != nil && !refused {
				t.tr.Start(tool)
			}
		}
	}
}

// waited reports whether a call has waited for the user.
func (t *talk) waited(tool *model.Tool) bool {
	for i := range t.asked {
		if t.asked[i].call == tool.Span.CallID {
			return true
		}
	}
	return false
}
