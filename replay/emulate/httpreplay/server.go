package httpreplay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"tapedeck/internal/problem"
	"tapedeck/replay"
	"tapedeck/replay/emulate"
	"tapedeck/replay/emulate/jsonrpc"
	"tapedeck/replay/player"
	"tapedeck/schema"
)

// Server answers requests with recorded answers.
type Server struct {
	stage   *emulate.Stage
	indexes emulate.Cache[*index]
	takes   emulate.Takes
	mcp     mcpSessions
}

// New returns a server.
func New(s *emulate.Stage) *Server { return &Server{stage: s} }

const server = "exchange"

// Has reports whether the session has an exchange with this method and path.
func (s *Server) Has(ctx context.Context, tenant, session string, t replay.Tape, method, path string) (bool, error) {
	b, err := s.indexes.Get(ctx, tenant, session, t, read)
	return err == nil && slices.ContainsFunc(b.exchanges, func(x *exchange) bool { return x.at(method, path) }), err
}

// Speaks returns nil if the session has exchanges, else a *problem.Problem.
func (s *Server) Speaks(ctx context.Context, tenant, session string, t replay.Tape) error {
	b, err := s.indexes.Get(ctx, tenant, session, t, read)
	if err == nil && len(b.exchanges) == 0 {
		err = &problem.Problem{
			Title: "No exchanges", Status: http.StatusConflict,
			Detail: fmt.Sprintf(
				"Session %q has no recorded HTTP exchanges, so there is nothing to answer requests with.", session,
			),
			Hint: "Record through tapedeck proxy, or play it with /v1/sessions/{id}/replay.",
		}
	}
	return err
}

// Serve answers a request for a path, unescaped, below the session's address. Settings in the query
// of the request change the pacing, unless the recorded request has a parameter of that name. If
// the recorded answer broke off, Serve panics with http.ErrAbortHandler.
func (s *Server) Serve(
	w http.ResponseWriter, r *http.Request, tenant, session, path string, t replay.Tape, pacing emulate.Pacing,
) {
	if err := s.stage.Origin(r); err != nil {
		s.stage.Refuse(w, r, server, err)
		return
	}
	c, err := s.choose(r, tenant, session, path, t, pacing)
	if err != nil {
		if p, ok := problem.From(err); ok && p.Status == http.StatusNotFound && emulate.Preflight(w, r) {
			s.stage.Count(server, "ended")
			return
		}
		s.stage.Refuse(w, r, server, err)
		return
	}
	switch {
	case c.over:
		s.noMore(w, r)
		return
	case c.direct != nil:
		c.direct.write(w, r)
		s.stage.Count(server, "ended")
		return
	}
	r, leave, err := s.stage.Enter(r, t)
	if err != nil {
		s.stage.Refuse(w, r, server, err)
		return
	}
	defer leave()
	c.path = path
	if c.exchange.upgrade {
		s.serveUpgrade(w, r, t, c)
		return
	}
	s.serveBody(w, r, t, c)
}

// choice is the exchange with which a request is answered, and the place in it.
type choice struct {
	exchange *exchange
	pacing   emulate.Pacing
	from     replay.Place // the start in the session
	over     bool         // the client has received the whole answer
	direct   *direct      // an answer that is not recorded; else nil
	path     string       // of the request, below the session's address
	renames  renames      // JSON-RPC ids to replace; nil for none
	// session returns the session id for the answer of an MCP server.
	session func() string
	// played records that the answer, with its status, was played to its end.
	played func(status int)
}

// choose finds the next exchange, or the one that the client resumes.
func (s *Server) choose(
	r *http.Request, tenant, session, path string, t replay.Tape, pacing emulate.Pacing,
) (choice, error) {
	var from replay.Place
	b, err := s.indexes.Get(r.Context(), tenant, session, t, read)
	if err != nil {
		return choice{}, err
	}
	here := b.exchanges
	here = keep(here, func(x *exchange) bool { return x.at(r.Method, path) })
	if len(here) == 0 {
		here = keep(b.exchanges, func(x *exchange) bool { return x.anywhere(r.Method) })
	}
	query, err := settle(&pacing, r.URL.Query(), here)
	if err != nil {
		return choice{}, err
	}
	if status := s.mcpAnswer(r, b, tenant, session, pacing.Take, path, len(here) > 0); status != 0 {
		return choice{direct: sessionAnswer(status)}, nil
	}
	elsewhere := b.elsewhere(r, path)
	if len(here)+len(elsewhere) == 0 {
		return b.absent(session, r.Method, path)
	}
	if from, err = s.stage.From(r.Context(), t, pacing); err != nil {
		return choice{}, err
	}
	here = keep(here, func(x *exchange) bool { return x.ended >= from.Position.At })
	if same := keep(here, func(x *exchange) bool { return x.asks(query) }); len(same) > 0 {
		here = same
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, bodyLimit))
	if err != nil {
		return choice{}, &problem.Problem{
			Status: http.StatusRequestEntityTooLarge, Detail: "The request's body could not be read: " + err.Error(),
		}
	}
	asked := callsOf(body, true)
	sum := fingerprintOf(body)
	equal := func(x *exchange) bool {
		return x.body == nil || *x.body == sum || len(x.secret) > 0 && *x.body == fingerprintOf(body, x.secret...)
	}
	here, direct, err := matching(here, asked, equal, session, r.Method+" "+path, pacing.MatchBody)
	if direct != nil || err != nil {
		return choice{direct: direct}, err
	}
	played := func(x *exchange) (turn int, ended bool) { return s.takes.Latest(tenant, session, pacing.Take, x.id) }
	last := r.Header.Get(lastEventID)
	switch at, err := s.resume(r.Context(), t, here, elsewhere, last, played); {
	case err != nil:
		return choice{}, err
	case at.exchange != nil:
		if !from.Before(at.after) {
			from = replay.Place{Position: at.after, After: true}
		}
		c := s.chosen(r, b, tenant, session, pacing, at.exchange, asked)
		c.from, c.over = from, at.over
		return c, nil
	}
	if here = begins(here, last); len(here) == 0 && len(elsewhere) > 0 {
		return b.absent(session, r.Method, path)
	}
	ids := make([]string, len(here))
	for i, x := range here {
		ids[i] = x.id
	}
	next := pacing.End
	switch {
	case next != "":
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		next = emulate.Last // a polling client receives the final answer
	default:
		next = emulate.Again
	}
	i := s.takes.Choose(tenant, session, pacing.Take, ids, next)
	if i < 0 {
		return choice{}, &problem.Problem{
			Title: "Nothing left to play", Status: http.StatusConflict,
			Detail: fmt.Sprintf("All %d answers that session %q has recorded for %s %s were played.", len(ids), session,
				r.Method, path),
			Hint: "Start another take with take=NAME, or set what follows the last answer: end=again or end=last.",
		}
	}
	c := s.chosen(r, b, tenant, session, pacing, here[i], asked)
	c.from = from
	return c, nil
}

// matching returns the exchanges of the newest recording that can answer a request. asked are the
// JSON-RPC messages in the request's body; equal reports whether a recorded request has the same
// body. If there is no such exchange, matching returns the answer to the client or a
// *problem.Problem.
func matching(
	here []*exchange, asked []jsonrpc.Call, equal func(*exchange) bool, session, what string, matchBody bool,
) ([]*exchange, *direct, error) {
	if asked != nil && slices.ContainsFunc(here, func(x *exchange) bool { return x.calls != nil }) {
		least := jsonrpc.SameTarget
		if matchBody {
			least = jsonrpc.SameButIDs
		}
		same := mostSimilar(here, asked, least)
		if len(same) == 0 {
			return nil, notRecordedCalls(session, asked, here), nil
		}
		return newest(same, func(*exchange) bool { return true }), nil, nil
	}
	if asked != nil && !slices.ContainsFunc(asked, jsonrpc.Call.Asks) &&
		!slices.ContainsFunc(here, func(x *exchange) bool { return x.provider == nil }) {
		return nil, &direct{status: http.StatusAccepted}, nil // notifications and answers have no answer
	}
	if here = newest(here, equal); !matchBody {
		return here, nil, nil
	}
	same := keep(here, equal)
	if len(same) == 0 && len(here) > 0 {
		return nil, nil, &problem.Problem{
			Title: "No request like this one", Status: http.StatusConflict, Parameter: "match",
			Detail: fmt.Sprintf("%s is recorded in session %q with other bodies only: %d of them.", what, session,
				len(here)),
			Hint: "Send a body that the recorded program sent, or omit match=body for answers in the recorded order.",
		}
	}
	return same, nil, nil
}

// chosen returns the choice of an exchange as the answer to a request. asked are the JSON-RPC
// messages of the request.
func (s *Server) chosen(
	r *http.Request, b *index, tenant, session string, pacing emulate.Pacing, x *exchange, asked []jsonrpc.Call,
) choice {
	c := choice{exchange: x, pacing: pacing}
	if x.provider != nil { // the request of the recorded answer is unknown
		answer := "answer " + x.id
		if len(asked) == 1 && asked[0].ID != "" {
			s.takes.Rename(tenant, session, pacing.Take, answer, asked[0].ID)
		}
		// A GET that resumes the answer has no message.
		now, ok := s.takes.Renamed(tenant, session, pacing.Take, answer)
		if ok && (len(asked) == 1 || r.Method == http.MethodGet) {
			c.renames = func(kind idKind, recorded string) (string, bool) {
				return now, kind == messageID && recorded != "" && recorded != now
			}
		}
		c.played = func(int) { s.takes.End(tenant, session, pacing.Take, x.id) }
		return c
	}
	own := map[string]string{}
	pairs(x.calls, asked, func(kind idKind, recorded, now string) {
		s.takes.Rename(tenant, session, pacing.Take, string(kind)+recorded, now)
		if recorded != now {
			own[string(kind)+recorded] = now
		}
	})
	switch {
	case len(own) > 0:
		c.renames = func(kind idKind, recorded string) (string, bool) {
			now, ok := own[string(kind)+recorded]
			return now, ok
		}
	case r.Method == http.MethodGet && b.calls: // answers to earlier requests may arrive here
		c.renames = func(kind idKind, recorded string) (string, bool) {
			return s.takes.Renamed(tenant, session, pacing.Take, string(kind)+recorded)
		}
	}
	c.session = func() string {
		if x.initializes() && r.Method == x.method {
			return s.mcp.begin(tenant, session, pacing.Take)
		}
		return r.Header.Get(mcpSession)
	}
	c.played = func(status int) {
		s.takes.End(tenant, session, pacing.Take, x.id)
		if r.Method == http.MethodDelete && status < 300 {
			s.mcp.end(tenant, session, pacing.Take, r.Header.Get(mcpSession))
		}
	}
	return c
}

// settle reads the settings among a query's parameters, and returns the other parameters.
func settle(pacing *emulate.Pacing, q url.Values, here []*exchange) (url.Values, error) {
	for _, name := range emulate.Parameters {
		theirs := slices.ContainsFunc(here, func(x *exchange) bool { return x.query.Has(name) })
		if !theirs && q.Has(name) {
			if err := pacing.Set(name, q.Get(name)); err != nil {
				return nil, err
			}
			q.Del(name)
		}
	}
	return q, nil
}

// absent answers a request for which nothing was recorded.
func (b *index) absent(session, method, path string) (choice, error) {
	if b.refusesStream(method, path) {
		return choice{direct: &direct{status: http.StatusMethodNotAllowed, allow: http.MethodPost}}, nil
	}
	return choice{}, notRecorded(b, session, method+" "+path)
}

func notRecorded(b *index, session, what string) error {
	p := problem.NotFound(fmt.Sprintf("Session %q has no recorded exchange for %s.", session, what))
	p.Title, p.Allowed = "Not recorded", b.list()
	p.Hint = "Ask for one of those that are recorded: " + strings.Join(b.list(), ", ") + "."
	if len(p.Allowed) == 0 {
		p.Hint = "The session has no HTTP exchanges at all: record through tapedeck proxy."
	}
	return p
}

func keep(list []*exchange, ok func(*exchange) bool) (kept []*exchange) {
	for _, x := range list {
		if ok(x) {
			kept = append(kept, x)
		}
	}
	return kept
}

// serveBody plays an answer.
func (s *Server) serveBody(w http.ResponseWriter, r *http.Request, t replay.Tape, c choice) {
	x, pacing, from := c.exchange, c.pacing, c.from
	opened, err := x.opened(r.Context(), t, from)
	if err != nil {
		s.stage.Refuse(w, r, server, err)
		return
	}
	part := &emulate.Excerpt{
		Tape: t, First: x.first, Last: x.last, Directions: []schema.Direction{schema.Receive},
		Keep: func(f *replay.Frame) bool {
			return f.Stream.StreamID == x.stream.StreamID && (isHead(&f.Frame) || opened[f.Seq] || !from.Before(f.Position()))
		},
	}
	body := s.stage.NewBody(w)
	body.Merge = pacing.Speed == player.Max
	status := http.StatusOK
	if x.provider != nil {
		out := &completion{
			w: w, r: r, body: body, from: x.provider, single: x.frames == 1, renames: c.renames,
		}
		if _, err = s.stage.Play(r.Context(), part, out, max(x.asked, from.Position.At), pacing, true); err == nil {
			err = out.end(x.closed || x.stream.Complete())
		}
	} else {
		out := &answer{
			w: w, r: r, body: body, partial: from.Position.At > x.asked, renames: c.renames, session: c.session,
			addresses: addressesOf(r, x, c.path), describes: describesServer(x.path),
		}
		_, err = s.stage.Play(r.Context(), part, out, max(x.asked, from.Position.At), pacing, true)
		if err == nil && out.status == 0 {
			s.stage.Refuse(w, r, server, &problem.Problem{
				Title: "No answer recorded", Status: http.StatusBadGateway,
				Detail: fmt.Sprintf("The recorded %s %s was never answered (%s).", x.method, x.path,
					x.stream.EndReason),
			})
			return
		}
		status = out.status
	}
	if err == nil {
		err = body.Close()
	}
	gone, left := errors.AsType[*emulate.ClientError](err)
	switch {
	case err == nil && !x.broke():
		c.played(status)
		s.stage.Count(server, "ended")
		if x.staysOpen(r.Method, w.Header()) {
			<-r.Context().Done()
		}
		return
	case err == nil:
		s.stage.Count(server, "ended")
	case left || r.Context().Err() != nil:
		s.stage.Count(server, "left")
		s.stage.Log().Debug("emulate: a client left", "reason", gone)
	case body.Sent == 0 && len(w.Header()) == 0:
		s.stage.Refuse(w, r, server, err)
		return
	default:
		s.stage.Count(server, "failed")
		s.stage.Log().Error("emulate: playing an exchange failed", "error", err)
	}
	panic(http.ErrAbortHandler) // so that the client does not treat the body as complete
}
