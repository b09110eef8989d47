package replayhttp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tapedeck/internal/problem"
	"tapedeck/internal/upgrade"
	"tapedeck/replay"
	"tapedeck/replay/player"
	"tapedeck/schema"
)

// request is a client's request for a playback.
type request struct {
	transport schema.Transport // SSE, NDJSON or WebSocket: the transport of the response
	raw       bool             // mode=raw
	cue       bool             // mode=cue
	follow    bool
	speed     player.Speed
	idle      time.Duration
	filter    replay.Filter
	from, to  *player.Mark
	fromText  string // from as in the request
	toText    string
	resume    *player.Mark // a position: continue after it
	resumeID  string       // the client's Last-Event-ID without endSign
	ended     bool         // the client received event: end
	loop      bool
	marker    player.Mark // zero for no marker
	hold      bool
}

// parse parses a request. The error is a *problem.Problem.
func parse(r *http.Request) (*request, error) {
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, problem.BadParameter("", "the query of the URL cannot be read: "+err.Error())
	}
	req := &request{transport: transportOf(r), speed: player.Normal}
	p := params{values: q}
	p.known()
	modes := []string{"event", "raw", "cue"}
	if req.transport != schema.WebSocket {
		modes = modes[:2]
	}
	p.one("mode", modes, func(v string) error {
		req.raw, req.cue = v == "raw", v == "cue"
		if req.cue && req.transport != schema.WebSocket {
			return errors.New("cue needs a WebSocket")
		}
		return oneOf(v, modes...)
	})
	p.flag("follow", &req.follow)
	p.flag("loop", &req.loop)
	if p.flag("hold", &req.hold); req.hold && req.transport != schema.WebSocket {
		p.note("hold", []string{"0"},
			errors.New("hold needs a WebSocket, since only a control continues after the end"))
	}
	p.one("marker", player.MarkerAllowed, func(v string) (err error) {
		req.marker, err = player.ParseMarker(v)
		return err
	})
	p.one("speed", []string{player.SpeedAllowed}, func(v string) (err error) {
		req.speed, err = player.ParseSpeed(v)
		return err
	})
	p.one("idle_limit", []string{"a duration above zero such as 2s"}, func(v string) (err error) {
		req.idle, err = time.ParseDuration(v)
		if err != nil || req.idle <= 0 {
			err = fmt.Errorf("idle_limit %q is not a duration above zero", v)
		}
		return err
	})
	p.one("from", player.MarkAllowed, func(v string) (err error) {
		req.fromText = v
		req.from, err = mark(v)
		return err
	})
	p.one("to", player.MarkAllowed, func(v string) (err error) {
		req.toText = v
		req.to, err = mark(v)
		return err
	})
	req.filter.Types, req.filter.Agents = p.list("type"), p.list("agent")
	for _, name := range p.list("direction") {
		d, err := schema.ParseDirection(name)
		p.note("direction", []string{"receive", "send"}, err)
		req.filter.Directions = append(req.filter.Directions, d)
	}
	if last := cmp.Or(r.Header.Get("Last-Event-ID"), q.Get("last_event_id")); last != "" && last != "-1" {
		if req.resumeID, req.ended = cutEnd(last); req.resumeID != "" {
			m, err := player.ParseResume(req.resumeID)
			p.note("last_event_id", resumeAllowed, err)
			req.resume = &m
		}
	}
	if req.raw {
		// Select what the client of the recorded stream received: no requests and no heads, but
		// bodies of every kind.
		if len(req.filter.Directions) == 0 {
			req.filter.Directions = []schema.Direction{schema.Receive}
		}
		req.filter.Bytes = true
	}
	return req, p.err
}

// parameters are the query parameters of a playback.
var parameters = []string{
	"speed", "idle_limit", "from", "to", "type", "agent", "direction", "follow", "mode", "last_event_id",
	"loop", "marker", "hold",
}

var resumeAllowed = []string{"the id of a frame of this session, or of event: end", "-1 or nothing for the start"}

func mark(s string) (*player.Mark, error) {
	m, err := player.ParseMark(s)
	return &m, err
}

func oneOf(v string, allowed ...string) error {
	if !slices.Contains(allowed, v) {
		return fmt.Errorf("%q is not %s", v, problem.OneOf(allowed...))
	}
	return nil
}

// params reads parameters and keeps the first error.
type params struct {
	values url.Values
	err    error
}

func (p *params) note(name string, allowed []string, err error) {
	if err != nil && p.err == nil {
		p.err = problem.BadParameter(name, err.Error(), allowed...)
	}
}

// known refuses unknown parameters, so that a misspelt one is noticed.
func (p *params) known() {
	if bad := problem.UnknownParameter(p.values, parameters...); bad != nil && p.err == nil {
		p.err = bad
	}
}

// one reads a parameter that may be absent or empty.
func (p *params) one(name string, allowed []string, read func(string) error) {
	if v := p.values.Get(name); v != "" {
		p.note(name, allowed, read(v))
	}
}

// flag reads a parameter that is 0 or 1.
func (p *params) flag(name string, on *bool) {
	p.one(name, []string{"0", "1"}, func(v string) (err error) {
		*on = v == "1"
		if v != "0" && v != "1" {
			err = fmt.Errorf("%s %q is neither on nor off", name, v)
		}
		return err
	})
}

// list reads values separated by commas, over all occurrences.
func (p *params) list(name string) []string {
	var list []string
	for _, v := range p.values[name] {
		for item := range strings.SplitSeq(v, ",") {
			if item != "" {
				list = append(list, item)
			}
		}
	}
	return list
}

// transportOf returns the transport of the request: WebSocket for an upgrade, else NDJSON or SSE by
// the media type that the client prefers. SSE is the default.
func transportOf(r *http.Request) schema.Transport {
	if upgrade.IsWebSocket(r) {
		return schema.WebSocket
	}
	best, chosen := 0.0, schema.SSE
	for item := range strings.SplitSeq(strings.Join(r.Header.Values("Accept"), ","), ",") {
		media, attrs, err := mime.ParseMediaType(strings.TrimSpace(item))
		if err != nil {
			continue
		}
		weight, err := strconv.ParseFloat(cmp.Or(attrs["q"], "1"), 64)
		if err != nil || weight <= best {
			continue
		}
		switch media {
		case "text/event-stream":
			best, chosen = weight, schema.SSE
		case "application/x-ndjson", "application/ndjson":
			best, chosen = weight, schema.NDJSON
		}
	}
	return chosen
}

// options returns the player's options for a tape. The error is a *problem.Problem if the request
// names a place that is not on the tape.
func (req *request) options(ctx context.Context, t replay.Tape) (player.Options, error) {
	o := player.Options{
		Speed: req.speed, IdleLimit: req.idle, Filter: req.filter,
		// A client with controls may set a marker at any time, so it needs the envelopes.
		Bare:  req.raw && req.marker.IsZero() && req.transport != schema.WebSocket,
		Reads: req.raw && req.speed != player.Max && req.transport != schema.WebSocket,
		Loop:  req.loop, Marker: req.marker, EndAtMarker: req.transport != schema.WebSocket, Hold: req.hold,
	}
	start := func(name string, m *player.Mark, allowed []string) (err error) {
		o.From, err = m.Start(ctx, t)
		return parameterProblem(name, allowed, err)
	}
	if req.from != nil && (req.resume == nil || req.loop) {
		if err := start("from", req.from, player.MarkAllowed); err != nil {
			return o, err
		}
		o.LoopFrom = o.From
	}
	if req.resume != nil {
		if err := start("last_event_id", req.resume, resumeAllowed); err != nil {
			return o, err
		}
		o.From.After = true
	}
	if err := req.marker.CheckMarker(t); err != nil {
		return o, parameterProblem("marker", player.MarkerAllowed, err)
	}
	if req.to == nil {
		return o, nil
	}
	var err error
	if o.To, err = req.to.Stop(ctx, t, o.From); err != nil {
		return o, parameterProblem("to", player.MarkAllowed, err)
	}
	if req.resume == nil && o.From.Before(o.To) && req.from != nil {
		return o, problem.BadParameter("to",
			fmt.Sprintf("to %q comes before %q, where playing begins", req.toText, req.fromText),
			"a place at or after from")
	}
	return o, nil
}

// parameterProblem converts a MarkError to the problem of a parameter.
func parameterProblem(name string, allowed []string, err error) error {
	if wrong, ok := errors.AsType[*player.MarkError](err); ok {
		return problem.BadParameter(name, wrong.Error(), allowed...)
	}
	return err
}
