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
}

type spanRow struct {
	Session string `ch:"session_id"`
	ID      string `ch:"span_id"`
	Parent  string `ch:"span_parent"`
	Kind    string `ch:"span_kind"`
	Name    string `ch:"span_name"`
	Status  string `ch:"span_status"`
	Run     string `ch:"span_run"`
	Agent   string `ch:"span_agent"`
	Error   string `ch:"span_error"`
	Begin   int64  `ch:"begin_ns"`
	Ended   int64  `ch:"ended_ns"`
	SeenAt  int64  `ch:"seen_ns"`
	Stream  string `ch:"first_stream"`
	Seq     uint64 `ch:"first_frame"`
	Model   int64  `ch:"model_ns"` // of the session
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
	usage     map[string]*tenantUsage // by tenant
}

type spanKey struct{ tenant, session, span string }

// NewReader returns a reader for rules.
func NewReader(r *query.Reader, rules []rule.Rule) *Reader {
	return &Reader{reader: r, needs: NeedsOf(rules), arguments: map[spanKey]string{}, usage: map[string]*tenantUsage{}}
}

// sessionsShape selects the sessions that are read.
type sessionsShape struct {
	Only bool // some, otherwise all
}

// Sessions returns the sessions of a tenant that are being recorded.
func (r *Reader) Sessions(ctx context.Context, tenant string) ([]*evaluate.Session, error) {
	list, err := r.read(ctx, sessionsShape{}, query.Args{"tenant": tenant})
	if err == nil && r.needs.Usage {
		err = r.readUsage(ctx, tenant)
		r.addUsage(tenant, list)
	}
	return list, err
}

// Again returns those of some sessions of a tenant that are being recorded. What they used is what Sessions read last.
func (r *Reader) Again(ctx context.Context, tenant string, ids []string) ([]*evaluate.Session, error) {
	list, err := r.read(ctx, sessionsShape{Only: true}, query.Args{"tenant": tenant, "only": ids})
	r.addUsage(tenant, list)
	return list, err
}

// read reads sessions with their spans and the arguments of their calls.
func (r *Reader) read(ctx context.Context, shape sessionsShape, of query.Args) ([]*evaluate.Session, error) {
	now, tenant := r.reader.Now(), of["tenant"].(string)
	args := query.Liveness(now, r.reader, tenant).With("limit", sessionsMost).With("since", now-int64(age))
	for name, value := range of {
		args = args.With(name, value)
	}
	rows, err := query.Ask[sessionRow](ctx, r.reader, statements, "live_sessions", shape, args)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	list := make([]*evaluate.Session, len(rows))
	byID := make(map[string]*evaluate.Session, len(rows))
	ids := make([]string, len(rows))
	first, last := rows[0].Started, rows[0].Last
	for i, row := range rows {
		list[i] = &evaluate.Session{Tenant: tenant, ID: row.ID, Stream: row.Stream, LastAt: row.Last}
		byID[row.ID], ids[i] = list[i], row.ID
		first, last = min(first, row.Started), max(last, row.Last)
	}
	a := query.Args{"tenant": tenant, "sessions": ids}.Within(first, last)
	spans, err := query.Ask[spanRow](ctx, r.reader, statements, "live_spans", nil, a.With("most", spansMost))
	if err != nil {
		return nil, err
	}
	if r.needs.Arguments {
		if err := r.readArguments(ctx, a, tenant, spans); err != nil {
			return nil, err
		}
	}
	for i := range spans {
		s := &spans[i]
		byID[s.Session].ModelAt = s.Model
		add(byID[s.Session], s.span(r.arguments[spanKey{tenant, s.Session, s.ID}]))
	}
	for _, s := range list {
		arrange(s)
	}
	return list, nil
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

func add(to *evaluate.Session, s evaluate.Span) {
	if !s.Status.Ended() && s.Ended == 0 {
		to.Open = append(to.Open, s)
	}
	if s.Kind == schema.SpanTool {
		to.Calls = append(to.Calls, s)
	}
}
