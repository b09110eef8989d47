package opencode

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/model"
)

// asked is a question to the user for which a call waits.
type asked struct {
	id, call string
	refused  bool
}

// openQuestions bounds the questions that are kept.
const openQuestions = 32

// ask reads a request for permission or a question. The call waits.
func (t *session) ask(p *fastjson.Value, _ []byte) {
	call := p.GetStringBytes("tool", "callID")
	if call == nil {
		call = p.GetStringBytes("callID") // before version 1.1
	}
	if call == nil {
		call = dialect.FirstText(p.Get("source"), "callID", "id") // since version 2
	}
	tool := t.conv.OpenTool(call)
	if tool == nil {
		return
	}
	t.asked = dialect.AppendRecent(t.asked, asked{id: string(p.GetStringBytes("id")), call: string(call)}, openQuestions)
	t.conv.AwaitApproval(tool)
}

func (t *session) replied(p *fastjson.Value, _ []byte) { t.answered(p, false) }

func (t *session) rejected(p *fastjson.Value, _ []byte) { t.answered(p, true) }

// answered reads the user's answer. A permitted call is executed from now on; a refused call ends
// with its error.
func (t *session) answered(p *fastjson.Value, refused bool) {
	id := dialect.FirstText(p, "requestID", "permissionID", "id")
	for _, name := range []string{"reply", "response"} {
		refused = refused || string(p.GetStringBytes(name)) == "reject"
	}
	for i := range t.asked {
		if a := &t.asked[i]; a.id == string(id) {
			a.refused = refused
			if tool := t.conv.OpenTool([]byte(a.call)); tool != nil && !refused {
				t.conv.Start(tool)
			}
		}
	}
}

// waited reports whether a call has waited for the user.
func (t *session) waited(tool *model.Tool) bool {
	for i := range t.asked {
		if t.asked[i].call == tool.Span.CallID {
			return true
		}
	}
	return false
}
