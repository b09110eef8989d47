package opencode

import (
	"github.com/valyala/fastjson"

	"tapedeck/ingest/dialect"
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
func (t *talk) ask(p *fastjson.Value, _ []byte) {
	call := p.GetStringBytes("tool", "callID")
	if call == nil {
		call = p.GetStringBytes("callID") // before version 1.1
	}
	tool := t.tr.OpenTool(call)
	if tool == nil {
		return
	}
	t.asked = dialect.AppendRecent(t.asked, asked{id: string(p.GetStringBytes("id")), call: string(call)}, openQuestions)
	t.tr.AwaitApproval(tool)
}

func (t *talk) replied(p *fastjson.Value, _ []byte) { t.answered(p, false) }

func (t *talk) rejected(p *fastjson.Value, _ []byte) { t.answered(p, true) }

// answered reads the user's answer. A call that may go on is executed from now
// on; one that may not ends with its error.
func (t *talk) answered(p *fastjson.Value, refused bool) {
	id := dialect.FirstText(p, "requestID", "permissionID", "id")
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
