// Package live reads what rules of alerts observe of the sessions that are being recorded.
package live

import (
	"context"
	"time"

	"tapedeck/query"
	"tapedeck/query/alerts/evaluate"
	"tapedeck/query/alerts/rule"
	"tapedeck/schema"
)

var statements = query.Statements("alerts/live")

// Bounds of what is read.
const (
	sessionsMost = 5000 // of a tenant, those with the latest frames
	spansMost    = rule.MostCalls + 100
	// age is how long a session may have no frame before rules no longer observe it.
	age = 7 * 24 * time.Hour
)

// Tenants returns the tenants with sessions that are being recorded.
func Tenants(ctx context.Context, r *query.Reader) ([]string, error) {
	rows, err := query.Ask[struct {
		Name string `ch:"name"`
	}](ctx, r, statements, "live_tenants", nil, query.Args{"since": r.Now() - int64(age)})
	names := make([]string, len(rows))
	for i := range rows {
		names[i] = rows[i].Name
	}
	return names, err
}

type sessionRow struct {
	ID      string `ch:"session_id"`
	Started int64  `ch:"started_ns"`
	Last    int64  `ch:"last_ns"`
	Stream  string `ch:"last_stream"`
	// Live are the streams that have not ended and whose recorder is alive.
	Live []string `ch:"live_streams"`
}

type spanRow struct {
	Session string `ch:"session_id"`
	ID      string `ch:"span_id"`
	Parent  string `ch:"span_parent"`
	Kind    string `ch:"span_kind"`
	Name    string `ch:"span_name"`
	Status  string `ch:"status_now"`
	Run     string `ch:"span_run"`
	Agent   string `ch:"span_agent"`
	Error   string `ch:"span_error"`
	Begin   int64  `ch:"begin_ns"`
	Ended   int64  `ch:"ended_ns"`
	SeenAt  int64  `ch:"seen_ns"`
	Stream  string `ch:"first_stream"`
	Seq     uint64 `ch:"first_frame"`
	Model   int64  `ch:"model_ns"` // of the session
	Left    bool   `ch:"is_left"`  // it has no end, and no live stream has it
}

// Needs is what a set of rules observes.
type Needs struct{ Arguments, Usage bool }

// NeedsOf returns what rules observe.
func NeedsOf(rules []rule.Rule) (n Needs) {
	for i := range rules {
		n.Arguments = n.Arguments || rules[i].Calls > 0
		n.Usage = n.Usage || rules[i].Kind == rule.Budget
	}
	return n
}

// Reader reads sessions. It keeps what does not change between two reads. It is for one goroutine.
type Reader struct {
	reader    *query.Reader
	needs     Needs
	arguments map[spanKey]string
	usages    *usages
	kept      map[string]*tenantSessions // by tenant
}

type spanKey struct{ tenant, session, span string }

// NewReader returns a reader for rules.
func NewReader(r *query.Reader, rules []rule.Rule) *Reader {
	return &Reader{reader: r, needs: NeedsOf(rules), arguments: map[spanKey]string{}, usages: &usages{of: map[string]*tenantUsage{}}, kept: map[string]*tenantSessions{}}
}

// Beside returns a reader for another goroutine, whose sessions have the usage that r reads.
func (r *Reader) Beside() *Reader {
	return &Reader{reader: r.reader, needs: r.needs, arguments: map[spanKey]string{}, usages: r.usages, kept: map[string]*tenantSessions{}}
}

// sessionsShape selects the sessions that are read.
type sessionsShape struct {
	Only bool // some, otherwise all
}

// Sessions returns the sessions of a tenant that are being recorded. All blocks that were received until a moment, ns,
// must be stored. Of sessions that an earlier call has returned it reads what is new, so that a change of what was stored
// long ago may be missing for keptFor: Again has it.
func (r *Reader) Sessions(ctx context.Context, tenant string, storedTo int64) ([]*evaluate.Session, error) {
	rows, err := r.live(ctx, tenant, sessionsShape{}, nil)
	if err != nil {
		return nil, err
	}
	list, err := r.continued(ctx, tenant, rows, storedTo)
	if err == nil && r.needs.Usage {
		err = r.readUsage(ctx, tenant, rows)
		r.addUsage(tenant, list)
	}
	return list, err
}

// Again returns those of some sessions of a tenant that are being recorded, as they are stored now. What they used is
// what Sessions read last.
func (r *Reader) Again(ctx context.Context, tenant string, ids []string) ([]*evaluate.Session, error) {
	rows, err := r.live(ctx, tenant, sessionsShape{Only: true}, ids)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	spans, err := r.spans(ctx, tenant, rows, spansShape{}, nil)
	if err != nil {
		return nil, err
	}
	bySession := map[string]*keptSession{}
	for i := range rows {
		bySession[rows[i].ID] = newKept(r.reader.Now())
	}
	r.take(tenant, bySession, spans)
	list := make([]*evaluate.Session, len(rows))
	for i := range rows {
		list[i] = bySession[rows[i].ID].session(tenant, &rows[i])
	}
	r.addUsage(tenant, list)
	return list, nil
}

// live reads which sessions are being recorded, of all or of some.
func (r *Reader) live(ctx context.Context, tenant string, shape sessionsShape, only []string) ([]sessionRow, error) {
	now := r.reader.Now()
	args := query.Liveness(now, r.reader, tenant).With("tenant", tenant).With("limit", sessionsMost).With("since", now-int64(age))
	if shape.Only {
		args = args.With("only", only)
	}
	return query.Ask[sessionRow](ctx, r.reader, statements, "live_sessions", shape, args)
}

// spansShape selects the spans that are read.
type spansShape struct {
	Since bool // those that began since a time, and some others; otherwise all
}

// spans reads spans of sessions, and the arguments of their calls.
func (r *Reader) spans(ctx context.Context, tenant string, rows []sessionRow, shape spansShape, more query.Args) ([]spanRow, error) {
	ids, live := make([]string, len(rows)), make([]string, 0, len(rows))
	first, last := rows[0].Started, rows[0].Last
	for i := range rows {
		ids[i], live = rows[i].ID, append(live, rows[i].Live...)
		first, last = min(first, rows[i].Started), max(last, rows[i].Last)
	}
	args := query.Args{"tenant": tenant, "sessions": ids, "live": live, "most": spansMost}.Within(first, last)
	for name, value := range more {
		args = args.With(name, value)
	}
	spans, err := query.Ask[spanRow](ctx, r.reader, statements, "live_spans", shape, args)
	if err == nil && r.needs.Arguments {
		err = r.readArguments(ctx, args, tenant, spans)
	}
	return spans, err
}

func (s *spanRow) span(arguments string) evaluate.Span {
	status := schema.Status(s.Status)
	if status == "" {
		status = schema.StatusOpen
	}
	return evaluate.Span{ID: s.ID, Parent: s.Parent, Kind: schema.SpanKind(s.Kind), Name: s.Name, Status: status, Run: s.Run, Agent: s.Agent,
		Begin: s.Begin, Ended: s.Ended, Error: s.Error, Arguments: arguments,
		Position: schema.Position{At: s.SeenAt, StreamID: s.Stream, Seq: s.Seq}.String()}
}
