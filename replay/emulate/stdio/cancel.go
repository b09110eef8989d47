package stdio

import (
	"slices"
	"time"

	"github.com/valyala/fastjson"

	"tapedeck/replay/emulate"
	"tapedeck/replay/emulate/jsonrpc"
)

// requestCancelled is the error code of ACP for a request that the client cancelled.
const requestCancelled = -32800

// cancel cancels a turn by a message of the client with a method. A nil play is not cancelled.
func (p *play) cancel(method string, at time.Time) {
	if p == nil {
		return
	}
	select {
	case p.cancelled <- cancellation{method, at}:
	default: // it is cancelled already
	}
}

// playOf returns the play that a message cancels: that of the request with an id; or the first that is
// about the same turn, session or thread and whose request has no answer, else the latest. It returns
// nil if no such turn is played.
func (s *server) playOf(v *fastjson.Value) *play {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id := jsonrpc.Member(v, "params", "requestId"); id != "" {
		return s.findPlay(func(p *play) bool { return p.call.ID == id && !p.answered })
	}
	for _, scope := range scopesOf(v) {
		p := s.findPlay(func(p *play) bool { return p.turn.has(scope) && !p.answered })
		if p == nil {
			slices.Reverse(s.plays)
			p = s.findPlay(func(p *play) bool { return p.turn.has(scope) })
			slices.Reverse(s.plays)
		}
		if p != nil {
			return p
		}
	}
	return nil
}

// findPlay returns the first play for which is returns true. The caller holds s.mu.
func (s *server) findPlay(is func(*play) bool) *play {
	if i := slices.IndexFunc(s.plays, is); i >= 0 {
		return s.plays[i]
	}
	return nil
}

// nextCancel returns the index of the next step in which the recorded client cancelled the turn, -1
// for none.
func nextCancel(steps []step, from int) int {
	for i := from; i < len(steps); i++ {
		if steps[i].kind == cancel {
			return i
		}
	}
	return -1
}

// endCancelled ends a turn that the recorded client did not cancel, as the protocol of the method
// says. A server of tools (MCP) sends nothing.
func (s *server) endCancelled(p *play, method string) {
	s.mu.Lock()
	answered := p.answered
	p.answered = true
	s.mu.Unlock()
	switch {
	case method == interruptTurn:
		s.endInterrupted(p)
	case answered:
	case method == cancelSession:
		s.reply(p.call.ID, `"result":{"stopReason":"cancelled"}`)
	case method == cancelRequest:
		s.refuse(p.call.ID, requestCancelled, "Request cancelled")
	}
}

// endInterrupted writes the end of a turn of Codex with the status of a turn that was interrupted.
func (s *server) endInterrupted(p *play) {
	for i := range p.turn.steps {
		step := &p.turn.steps[i]
		if step.method != "turn/completed" {
			continue
		}
		v, err := fastjson.ParseBytes(step.line)
		if turn := v.Get("params", "turn"); err == nil && turn != nil {
			turn.Set("status", fastjson.MustParse(`"interrupted"`))
			s.write(append(emulate.AppendJSON(nil, v), '\n'))
		}
		return
	}
}
