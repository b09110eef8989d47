package httpreplay

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"tapedeck/replay"
	"tapedeck/replay/emulate"
	"tapedeck/schema"
)

const lastEventID = "Last-Event-ID"

// resumption is the place at which a client resumes an answer.
type resumption struct {
	exchange *exchange
	after    schema.Position // position of the last frame that the client received; zero for none
	over     bool            // the client received everything
}

// resume finds the answer that a client resumes, by the id of the last event that the client
// received: in here, and then elsewhere, among the answers to POST at the same path.
// It returns the zero resumption in three cases, in which the request is answered as recorded: no
// answer has the id; the answer broke off at the id and another answer followed; the recorded
// client also sent the id.
func (s *Server) resume(
	ctx context.Context, t replay.Tape, here, elsewhere []*exchange, id string, of func(x *exchange) (turn int, ended bool),
) (resumption, error) {
	if id == "" || slices.ContainsFunc(here, func(x *exchange) bool { return x.resumed == id }) {
		return resumption{}, nil
	}
	// Several answers may have the same ids: try the answer that was played last first.
	turn := func(x *exchange) int { n, _ := of(x); return n }
	latest := func(x, y *exchange) int { return cmp.Compare(turn(y), turn(x)) }
	order := slices.Concat(
		slices.SortedStableFunc(slices.Values(here), latest), slices.SortedStableFunc(slices.Values(elsewhere), latest),
	)
	all := slices.Concat(elsewhere, here)
	for _, x := range order {
		if x.upgrade {
			continue
		}
		at, more, named, err := find(ctx, t, x, id)
		if err != nil {
			return resumption{}, err
		}
		if at.IsZero() {
			continue
		}
		if x.broke() && !more && all[len(all)-1] != x {
			return resumption{}, nil
		}
		// Events without an id may follow the last event with an id. Clients that received them
		// send the same id as clients that did not.
		_, ended := of(x)
		over := (!more || !named && ended) && (x.stream.Ended != 0 || x.provider != nil)
		return resumption{exchange: x, after: at, over: over}, nil
	}
	return resumption{}, nil
}

// find searches an answer for the first run of adjacent events with an id, and returns the position
// of the last of these events; zero if no event has the id. more reports whether events follow;
// named reports whether one of the following events has an id.
func find(
	ctx context.Context, t replay.Tape, x *exchange, id string,
) (at schema.Position, more, named bool, err error) {
	part := &emulate.Excerpt{
		Tape: t, First: x.first, Last: x.last, Directions: []schema.Direction{schema.Receive},
		Keep: func(f *replay.Frame) bool {
			return f.Stream.StreamID == x.stream.StreamID && f.Transport == schema.SSE && !f.Flags.Has(schema.FlagNote)
		},
	}
	var joined []byte
	err = emulate.Scan(ctx, part, replay.Query{Bare: true}, func(f *replay.Frame) error {
		var c schema.Content
		c, joined = schema.Unframe(&f.Frame, joined)
		switch {
		case c.ID == id && !more:
			at = f.Position()
		case at.IsZero() || c.Empty:
		default:
			more = true
			if c.ID != "" {
				named = true
				return emulate.ErrEnough
			}
		}
		return nil
	})
	return at, more, named, err
}

// elsewhere returns the answers to POST at a path that a GET can resume: in MCP a client resumes
// the answer to a POST with a GET.
func (b *index) elsewhere(r *http.Request, path string) []*exchange {
	if r.Method != http.MethodGet || r.Header.Get(lastEventID) == "" {
		return nil
	}
	return keep(b.exchanges, func(x *exchange) bool {
		return !x.at(r.Method, path) && !x.anywhere(r.Method) && !x.upgrade &&
			(x.at(http.MethodPost, path) || x.anywhere(http.MethodPost))
	})
}

// begins returns the exchanges whose request had the same Last-Event-ID, "" for none. If there are
// none, it returns all exchanges.
func begins(here []*exchange, id string) []*exchange {
	if same := keep(here, func(x *exchange) bool { return x.resumed == id }); len(same) > 0 {
		return same
	}
	return here
}

// noMore answers 204 to a client that has received everything: after any other answer an
// EventSource connects again (WHATWG HTML, section 9.2.3).
func (s *Server) noMore(w http.ResponseWriter, r *http.Request) {
	emulate.CrossOrigin(w.Header(), r)
	w.WriteHeader(http.StatusNoContent)
	s.stage.Count(server, "ended")
}
