package alerttest

import (
	"slices"

	"github.com/shopspring/decimal"

	"tapedeck/query/alerts/evaluate"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/facts/spanmerge"
	"tapedeck/query/facts/usagerecord"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/report/toolreport"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// state is what is known of a session at a moment: the latest version of each fact.
type state struct {
	session   evaluate.Session
	states    []schema.StreamState
	facts     map[string]*block.Facts // by stream
	ended     map[string]bool         // streams that have ended
	places    map[place]int
	arguments map[string]string // of tool calls, by span
	took      map[string][]int64
	changed   bool
	used      bool // usage changed
	pricer    *cost.Pricer
}

// place is where a fact is in the facts of its stream.
type place struct{ stream, kind, id string }

func newState(tenant, session string, pricer *cost.Pricer) *state {
	return &state{session: evaluate.Session{Tenant: tenant, ID: session}, facts: map[string]*block.Facts{}, ended: map[string]bool{}, places: map[place]int{},
		arguments: map[string]string{}, pricer: pricer}
}

func (s *state) open(of schema.StreamState) {
	s.states = append(s.states, of)
	s.facts[of.StreamID] = &block.Facts{}
}

// end records that a stream has ended.
func (s *state) end(stream string) { s.ended[stream], s.changed = true, true }

// openIn returns the status of a span without an end in the streams that have not ended; false if none has it.
func (s *state) openIn(id string) (status schema.Status, found bool) {
	var version uint64
	for i := range s.states {
		stream := s.states[i].StreamID
		at, known := s.places[place{stream, "span", id}]
		if !known || s.ended[stream] {
			continue
		}
		if x := &s.facts[stream].Spans[at]; x.Version >= version {
			status, version, found = x.Status, x.Version, true
		}
	}
	return status, found
}

// add replaces facts of a stream by later versions.
func (s *state) add(stream string, changed *block.Facts) {
	if changed.Len() == 0 {
		return
	}
	s.changed = true
	of := s.facts[stream]
	for _, x := range changed.Spans {
		put(s.places, place{stream, "span", x.ID}, &of.Spans, x)
	}
	for _, u := range changed.Usages {
		s.used = true
		put(s.places, place{stream, "usage", u.ID}, &of.Usages, u)
	}
	for i := range changed.Messages {
		if m := &changed.Messages[i]; m.Kind == schema.MessageArguments && len(m.Text) >= len(s.arguments[m.Span]) {
			s.arguments[m.Span] = m.Text
		}
	}
}

func put[T any](places map[place]int, at place, list *[]T, v T) {
	if i, known := places[at]; known {
		(*list)[i] = v
		return
	}
	places[at] = len(*list)
	*list = append(*list, v)
}

// current returns the session as it is known.
func (s *state) current() (*evaluate.Session, error) {
	if !s.changed {
		return &s.session, nil
	}
	s.changed = false
	row, streams := sessionstreams.OfStates(s.session.ID, s.states)
	spans := spanmerge.OfFacts(row, s.facts)
	s.session.Open, s.session.Calls, s.took = nil, nil, map[string][]int64{}
	for i := range spans {
		x := &spans[i]
		span := evaluate.Span{ID: x.ID, Parent: x.Parent, Kind: schema.SpanKind(x.Kind), Name: x.Name, Status: schema.Status(x.Status), Run: x.Run,
			Agent: x.Agent, Begin: x.Begin(), Ended: x.Ended, Error: x.Error, Position: x.Position(), Arguments: s.arguments[x.ID]}
		if span.IsOpen() {
			status, found := s.openIn(x.ID)
			if !found {
				continue // a stream that has ended left it
			}
			span.Status = status
			s.session.Open = append(s.session.Open, span)
		}
		if span.Kind == schema.SpanLLM {
			s.session.ModelAt = max(s.session.ModelAt, x.Ended)
		}
		if span.Kind == schema.SpanTool {
			s.session.Calls = append(s.session.Calls, span)
			if took, known := x.Duration(); known {
				s.took[x.Name] = append(s.took[x.Name], took)
			}
		}
	}
	s.session.Calls, _ = evaluate.Latest(s.session.Calls)
	if s.used {
		s.used = false
		return &s.session, s.addUp(streams)
	}
	return &s.session, nil
}

// addUp adds up tokens and costs.
func (s *state) addUp(streams []sessionstreams.Stream) error {
	records, err := usagerecord.OfFacts(s.pricer, streams, s.facts)
	if err != nil {
		return err
	}
	s.session.Tokens, s.session.Costs = 0, map[string]decimal.Decimal{}
	for i := range records {
		s.session.Tokens += records[i].Tokens.Total
		if c := records[i].Cost; c != nil {
			s.session.Costs[c.Currency] = s.session.Costs[c.Currency].Add(c.Amount)
		}
	}
	return nil
}

// usual returns how long the calls of a tool in the recording took that have ended.
func (s *state) usual(tool string) (evaluate.Usual, bool) {
	took := s.took[tool]
	if len(took) < toolreport.UsualCalls {
		return evaluate.Usual{}, false
	}
	took = slices.Sorted(slices.Values(took))
	at := float64(len(took)-1) * 0.99
	i := int(at)
	p99 := float64(took[i])
	if i+1 < len(took) {
		p99 += (at - float64(i)) * float64(took[i+1]-took[i])
	}
	return evaluate.Usual{Calls: int64(len(took)), P99: p99}, true
}
