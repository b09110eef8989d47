package httpreplay

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"tapedeck/replay"
	"tapedeck/replay/emulate"
	"tapedeck/replay/emulate/jsonrpc"
	"tapedeck/schema"
)

// index lists the exchanges of a session in the order of their requests.
type index struct {
	exchanges []*exchange
	calls     bool            // whether a request has JSON-RPC messages
	mcp       map[string]bool // paths of MCP servers that assign session ids
}

// bodyLimit bounds the part of a request's body that is compared, bytes.
const bodyLimit = 64 << 20

// read builds the index of a session.
func read(ctx context.Context, t replay.Tape) (*index, error) {
	b := &index{}
	asked, err := b.readRequests(ctx, t)
	if err != nil {
		return nil, err
	}
	for i := range t.Streams() {
		s := &t.Streams()[i]
		if p := providerOf(s); p != nil && !asked[s.StreamID] {
			if err := b.readAnswers(ctx, t, s, p); err != nil {
				return nil, err
			}
		}
	}
	slices.SortStableFunc(b.exchanges, func(x, y *exchange) int {
		return cmp.Or(x.first.Compare(y.first), cmp.Compare(x.id, y.id))
	})
	b.numberRecordings()
	return b, b.readSessions(ctx, t)
}

// initializeLimit bounds the answers that readSessions reads.
const initializeLimit = 16

// readSessions finds the MCP servers that answer initialize with a session id.
func (b *index) readSessions(ctx context.Context, t replay.Tape) error {
	b.mcp = map[string]bool{}
	read := 0
	for _, x := range b.exchanges {
		if !x.initializes() || b.mcp[x.path] || read == initializeLimit {
			continue
		}
		read++
		head, err := headOf(ctx, t, x)
		if err != nil {
			return err
		}
		if h, err := fields(head, true); err == nil && h.Get(mcpSession) != "" {
			b.mcp[x.path] = true
		}
	}
	return nil
}

// initializes reports whether the request begins an MCP session.
func (x *exchange) initializes() bool {
	return slices.ContainsFunc(x.calls, func(c jsonrpc.Call) bool { return c.Method == "initialize" })
}

// readRequests finds the exchanges that a proxy recorded, one stream each. asked contains the ids
// of these streams.
func (b *index) readRequests(ctx context.Context, t replay.Tape) (asked map[string]bool, err error) {
	asked = map[string]bool{}
	type pending struct {
		x      *exchange
		body   []byte
		pieces emulate.Pieces
	}
	open := map[string]*pending{}
	finish := func(p *pending) {
		p.x.secret = maskedIn(p.body)
		sum := fingerprintOf(p.body, p.x.secret...)
		p.x.body = &sum
		p.x.calls = callsOf(p.body, false)
		b.calls = b.calls || p.x.calls != nil
		delete(open, p.x.stream.StreamID)
	}
	q := replay.Query{Bare: true, Filter: replay.Filter{Directions: []schema.Direction{schema.Send}}}
	err = emulate.Scan(ctx, t, q, func(f *replay.Frame) error {
		p := open[f.Stream.StreamID]
		switch {
		case isHead(&f.Frame) && !asked[f.Stream.StreamID]:
			method, u, ok := requestLine(f.Raw)
			if !ok {
				return nil
			}
			for _, other := range open { // drop finished exchanges
				if other.x.stream.LastAt < f.At {
					finish(other)
				}
			}
			s := replay.StreamOf(t, f.Stream.StreamID)
			asked[s.StreamID] = true
			x := &exchange{
				stream: s, id: f.Position().String(), method: method, path: u.Path, query: u.Query(),
				first: f.Position(), last: emulate.EndOf(s), asked: f.At, ended: s.LastAt,
			}
			if h, err := fields(f.Raw, true); err == nil {
				x.upgrade = strings.EqualFold(h.Get("Upgrade"), "websocket")
				x.resumed = h.Get(lastEventID)
			}
			open[s.StreamID] = &pending{x: x}
			b.exchanges = append(b.exchanges, x)
		case p == nil || isHead(&f.Frame):
		case p.x.upgrade:
			if f.Transport == schema.WebSocket && p.pieces.Last(&f.Frame) {
				p.x.turns = append(p.x.turns, f.Position())
			}
		case len(p.body)+len(f.Raw) <= bodyLimit:
			p.x.asked = f.At
			p.body = append(p.body, f.Raw...)
		default:
			p.x.asked = f.At
		}
		return nil
	})
	for _, p := range open {
		finish(p)
	}
	return asked, err
}

// readAnswers finds the responses in a provider's stream that was recorded without its requests.
func (b *index) readAnswers(ctx context.Context, t replay.Tape, s *schema.StreamState, p *provider) error {
	part := &emulate.Excerpt{
		Tape: t, First: schema.Position{At: s.FirstAt}, Last: emulate.EndOf(s),
		Directions: []schema.Direction{schema.Receive},
		Keep:       func(f *replay.Frame) bool { return f.Stream.StreamID == s.StreamID && !f.Flags.Has(schema.FlagNote) },
	}
	var x *exchange
	var run string
	over := false
	err := emulate.Scan(ctx, part, replay.Query{}, func(f *replay.Frame) error {
		another := over && f.Type != "[DONE]" || run != "" && f.Run != "" && f.Run != run
		if another {
			x.closed = true
		}
		if x == nil || another {
			p := p
			if other := p.types[f.Type]; other != nil {
				p = other
			}
			x = &exchange{
				stream: s, id: f.Position().String(), method: "POST", path: p.path, provider: p,
				first: f.Position(), asked: f.At, source: sourcePath(s), query: sourceQuery(s),
			}
			if p.at == nil {
				x.path = cmp.Or(x.source, anyPath)
			}
			b.exchanges = append(b.exchanges, x)
			run, over = "", false
		}
		x.last, x.ended = f.Position(), f.At
		x.unasked = p.calls && (x.frames == 0 || x.unasked) && f.Type != "" && !p.last(f)
		x.frames++
		if f.Run != "" {
			run = strings.Clone(f.Run) // the frame is valid only during the call
		}
		over = over || p.last(f)
		x.closed = over
		return nil
	})
	if x != nil && s.EndReason == continuedElsewhere {
		x.closed = true
	}
	return err
}

// continuedElsewhere is the end reason of a stream in a session if its later frames belong to other
// sessions.
const continuedElsewhere = "left"

// list returns the recorded requests in readable form.
func (b *index) list() []string {
	var lines []string
	count := map[string]int{}
	for _, x := range b.exchanges {
		line := x.method + " " + x.path
		if count[line]++; count[line] == 1 {
			lines = append(lines, line)
		}
	}
	for i, line := range lines {
		if n := count[line]; n > 1 {
			lines[i] = fmt.Sprintf("%s (%d times)", line, n)
		}
	}
	const most = 30
	if len(lines) > most {
		lines = append(lines[:most], fmt.Sprintf("and %d more", len(lines)-most))
	}
	return lines
}
