package stdio

import (
	"slices"

	"github.com/valyala/fastjson"

	"tapedeck/replay/emulate"
	"tapedeck/replay/emulate/jsonrpc"
	"tapedeck/schema"
)

// process assigns the messages of one recorded process to turns.
type process struct {
	to      *Recording
	number  int
	turns   []*turn          // the first is the start of the process
	open    []*turn          // requests of the client without an answer
	byScope map[string]*turn // the latest turn that is about something
	asked   map[string]*turn // requests of the agent without an answer, by their ids as JSON
	pieces  [2][]byte        // the beginning of a line by its direction
}

func newProcess(to *Recording, number int, began int64) *process {
	p := &process{to: to, number: number, byScope: map[string]*turn{}, asked: map[string]*turn{}}
	p.begin(&turn{at: began})
	return p
}

func (p *process) begin(t *turn) {
	t.process = p.number
	p.turns = append(p.turns, t)
	p.to.turns = append(p.to.turns, t)
}

// line reads a line: a message, or a batch of messages.
func (p *process) line(way schema.Direction, at int64, line []byte) {
	v := parse(line)
	switch {
	case v == nil && way == schema.Receive:
		p.add(p.turnOf(nil), step{at: at, line: line})
	case v == nil:
	case v.Type() == fastjson.TypeArray:
		for _, v := range v.GetArray() {
			p.message(way, at, v, append(emulate.AppendJSON(nil, v), '\n'))
		}
	default:
		p.message(way, at, v, line)
	}
}

func (p *process) message(way schema.Direction, at int64, v *fastjson.Value, line []byte) {
	if way == schema.Send {
		p.ofClient(at, v)
	} else {
		p.ofAgent(v, step{at: at, line: line})
	}
}

// ofClient reads a message of the client.
func (p *process) ofClient(at int64, v *fastjson.Value) {
	what := kindOf(v)
	if what == invalid {
		return
	}
	p.to.bare = p.to.bare && !v.Exists("jsonrpc")
	if what == answer {
		id := jsonrpc.Member(v, "id")
		if t := p.asked[id]; t != nil {
			delete(p.asked, id)
			p.add(t, step{kind: awaits, at: at, id: id})
		}
		return
	}
	t := &turn{call: jsonrpc.Recorded(v), at: at, open: what == request}
	if cancels(t.call.Method) {
		if cancelled := p.cancelled(v); cancelled != nil {
			p.add(cancelled, step{kind: cancel, at: at})
		}
	} else {
		p.concerns(t, scopesOf(v), true)
	}
	p.begin(t)
	if t.open {
		p.open = append(p.open, t)
	}
}

// ofAgent reads a message of the agent.
func (p *process) ofAgent(v *fastjson.Value, s step) {
	what := kindOf(v)
	id := jsonrpc.Member(v, "id")
	s.method = string(v.GetStringBytes("method"))
	t := p.turnOf(v)
	switch what {
	case answer:
		if i := p.openWith(id); i >= 0 {
			t, s.answers = p.open[i], true
			t.open = false
			p.open = slices.Delete(p.open, i, i+1)
			if !cancels(t.call.Method) {
				p.concerns(t, scopesOf(v), true)
			}
		}
	case request:
		s.id = id
		p.asked[id] = t
	case notification:
		s.progress = t.call.Token != "" && jsonrpc.Member(v, "params", "progressToken") == t.call.Token
	case invalid:
	}
	if what == request || what == notification {
		p.concerns(t, scopesOf(v), false)
	}
	p.add(t, s)
}

func (p *process) add(t *turn, s step) { t.steps = append(t.steps, s) }

// concerns records what a turn is about. A scope that another turn has is kept for that one, unless
// take is set.
func (p *process) concerns(t *turn, scopes []string, take bool) {
	for _, scope := range scopes {
		if p.byScope[scope] == nil || take {
			p.byScope[scope] = t
			if !t.has(scope) {
				t.scopes = append(t.scopes, scope)
			}
		}
	}
}

// openWith returns the index of the latest request of the client with an id that has no answer, -1
// for none.
func (p *process) openWith(id string) int {
	for i, t := range slices.Backward(p.open) {
		if t.call.ID == id {
			return i
		}
	}
	return -1
}

// turnOf returns the turn to which a message of the agent belongs if it is no answer. v is nil for a
// line that is no JSON.
func (p *process) turnOf(v *fastjson.Value) *turn {
	if v != nil {
		if token := jsonrpc.Member(v, "params", "progressToken"); token != "" {
			for _, t := range slices.Backward(p.open) {
				if t.call.Token == token {
					return t
				}
			}
		}
		if t := p.about(scopesOf(v)); t != nil {
			return t
		}
	}
	for _, list := range [][]*turn{p.open, p.turns} {
		for _, t := range slices.Backward(list) {
			if !cancels(t.call.Method) {
				return t
			}
		}
	}
	return p.turns[0]
}

// about returns the turn that is about one of the scopes, nil for none.
func (p *process) about(scopes []string) *turn {
	for _, scope := range scopes {
		for _, t := range p.open {
			if t.has(scope) {
				return t
			}
		}
		if t := p.byScope[scope]; t != nil {
			return t
		}
	}
	return nil
}

// cancelled returns the turn that a message of the client cancels, nil for none.
func (p *process) cancelled(v *fastjson.Value) *turn {
	if id := jsonrpc.Member(v, "params", "requestId"); id != "" {
		if i := p.openWith(id); i >= 0 {
			return p.open[i]
		}
		return nil
	}
	return p.about(scopesOf(v))
}
