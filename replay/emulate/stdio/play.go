package stdio

import (
	"context"
	"slices"
	"time"

	"tapedeck/replay/emulate/jsonrpc"
)

// play is a turn that is played.
type play struct {
	turn *turn
	call *jsonrpc.Call // of the client
	// cancelled receives when the client cancels the turn, and by which method.
	cancelled chan cancellation
	answered  bool // the answer was written; guarded by server.mu
}

type cancellation struct {
	method string
	at     time.Time
}

// question is a request of the agent that waits for the client's answer.
type question struct {
	answered chan time.Time // receives when the answer arrived
}

func now() time.Time { return time.Now() }

// play begins to play a turn.
func (s *server) play(ctx context.Context, t *turn, c *jsonrpc.Call, at time.Time) {
	p := &play{turn: t, call: c, cancelled: make(chan cancellation, 1), answered: c.ID == ""}
	s.mu.Lock()
	s.plays = append(s.plays, p)
	s.mu.Unlock()
	s.running.Go(func() {
		s.run(ctx, p, at)
		s.mu.Lock()
		s.plays = slices.DeleteFunc(s.plays, func(other *play) bool { return other == p })
		s.mu.Unlock()
	})
}

// run plays the steps of a turn.
func (s *server) run(ctx context.Context, p *play, at time.Time) {
	steps := p.turn.steps
	c := clock{pacing: s.opts.Pacing, at: p.turn.at, due: at}
	asked := map[string]*question{}
	defer s.forget(asked)
	next := 0 // the step after the last line that was sent
	timer := time.NewTimer(0)
	defer timer.Stop()
	for i := 0; i < len(steps); i++ {
		step := &steps[i]
		var due <-chan time.Time
		var got chan time.Time
		switch q := asked[step.id]; {
		case step.kind == cancel, step.kind == awaits && q == nil:
			continue
		case step.kind == awaits:
			got = q.answered
		default:
			timer.Reset(time.Until(c.advance(step.at)))
			due = timer.C
		}
		select {
		case <-ctx.Done():
			return
		case <-due:
			if step.kind == exits {
				select {
				case s.exit <- step.code:
				default: // it ends already
				}
				return
			}
			if step.id != "" {
				asked[step.id] = s.ask(step.id)
			}
			s.send(p, step)
			next = i + 1
		case at := <-got:
			delete(asked, step.id)
			c.restart(step.at, at)
		case by := <-p.cancelled:
			if i = nextCancel(steps, next); i < 0 {
				s.endCancelled(p, by.method)
				return
			}
			c.at, c.due = steps[i].at, by.at
		case <-closedIf(got != nil, s.closed):
			return // the client cannot answer any more
		}
	}
}

// closedIf returns a channel, or nil.
func closedIf(ok bool, c chan struct{}) <-chan struct{} {
	if ok {
		return c
	}
	return nil
}

// send writes a line of a turn.
func (s *server) send(p *play, step *step) {
	if step.answers {
		s.mu.Lock()
		p.answered = true
		s.mu.Unlock()
	}
	s.write(p.line(step))
}

// ask records that the agent sends a request.
func (s *server) ask(id string) *question {
	q := &question{answered: make(chan time.Time, 1)}
	s.mu.Lock()
	s.asked[id] = append(s.asked[id], q)
	s.mu.Unlock()
	return q
}

// forget removes the questions of a turn that ended without their answers: a later turn may ask with the
// same ids.
func (s *server) forget(asked map[string]*question) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, q := range asked {
		if rest := slices.DeleteFunc(s.asked[id], func(other *question) bool { return other == q }); len(rest) > 0 {
			s.asked[id] = rest
		} else {
			delete(s.asked, id)
		}
	}
}

// answered reads an answer of the client, which arrived at a time.
func (s *server) answered(id string, at time.Time) {
	s.mu.Lock()
	waiting := s.asked[id]
	if len(waiting) > 1 {
		s.asked[id] = waiting[1:]
	} else {
		delete(s.asked, id)
	}
	s.mu.Unlock()
	if len(waiting) == 0 {
		if s.once("answer to nothing") {
			s.opts.Log.Warn("emulate: an answer has the id of no request", "id", id)
		}
		return
	}
	waiting[0].answered <- at
}

// waits reports whether a request of the client has no answer yet.
func (s *server) waits(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.plays, func(p *play) bool { return !p.answered && p.call.ID == id })
}
