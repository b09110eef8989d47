// Package alerts stores alerts and lists them.
package alerts

import (
	"context"
	"time"

	"tapedeck/query"
	"tapedeck/query/alerts/evaluate"
	"tapedeck/query/alerts/rule"
)

var statements = query.Statements("alerts")

// openMost bounds how many open alerts of all tenants go on after a restart. The rules bound how many begin.
const openMost = 100_000

type row struct {
	Tenant    string `ch:"tenant"`
	Session   string `ch:"session_id"`
	Stream    string `ch:"stream_id"`
	ID        string `ch:"alert_id"`
	Rule      string `ch:"rule"`
	Kind      string `ch:"kind"`
	Condition string `ch:"condition"`
	SpanID    string `ch:"span_id"`
	SpanName  string `ch:"span_name"`
	Position  string `ch:"position"`
	Per       string `ch:"per"`
	Value     string `ch:"value"`
	Period    string `ch:"period"`
	Detail    string `ch:"detail"`
	Began     int64  `ch:"began_ns"`
	Ended     int64  `ch:"ended_ns"`
}

func (r *row) alert() *evaluate.Alert {
	return &evaluate.Alert{
		ID: r.ID, Rule: r.Rule, Kind: rule.Kind(r.Kind), Session: r.Session, SpanID: query.Named(r.SpanID),
		SpanName: query.Named(r.SpanName), Position: query.Named(r.Position), Per: query.Named(r.Per), Value: query.Named(r.Value),
		Period: query.Named(r.Period), Detail: r.Detail, Began: query.Instant(r.Began),
		Ended: query.KnownInstant(r.Ended), Tenant: r.Tenant, Stream: r.Stream, Key: r.Condition,
	}
}

// Query selects alerts of a tenant. An empty field selects all.
type Query struct {
	Tenant, Session string
	Rules           []string
	State           State
	Per, Value      string    // of budgets: "tag:NAME" or "tenant", and the value of the tag
	From, To        time.Time // half open, by when the alert began
	After           *query.Mark
	Limit           int
}

// State is whether an alert is open.
type State string

// The states.
const (
	Open  State = "open"
	Ended State = "ended"
)

// shape selects the optional parts of sql/selected.sql and sql/alerts.sql.
type shape struct{ Session, Rules, Open, Ended, Per, Value, From, To, After bool }

// listed is the name of the list in its cursors.
const listed = "alerts"

// statement returns the shape and the parameters of a statement that selects the alerts of a query.
func (q *Query) statement() (shape, query.Args) {
	a := query.Args{"tenant": q.Tenant, "session": q.Session, "rules": q.Rules, "per": q.Per, "value": q.Value}
	s := shape{Session: q.Session != "", Rules: len(q.Rules) > 0, Open: q.State == Open, Ended: q.State == Ended,
		Per: q.Per != "", Value: q.Value != "", From: !q.From.IsZero(), To: !q.To.IsZero(), After: q.After != nil}
	if s.From {
		a["from"] = q.From.UnixNano()
	}
	if s.To {
		a["to"] = q.To.UnixNano()
	}
	if s.After {
		a["after_key"], a["after_id"] = q.After.Key, q.After.ID
	}
	return s, a
}

// List returns one page of alerts, the latest first.
func List(ctx context.Context, r *query.Reader, q Query) (*query.Page[*evaluate.Alert], error) {
	s, a := q.statement()
	a["limit"] = q.Limit + 1
	rows, err := query.Ask[row](ctx, r, statements, "alerts", s, a)
	if err != nil {
		return nil, err
	}
	page := &query.Page[*evaluate.Alert]{Items: make([]*evaluate.Alert, 0, len(rows))}
	for i := range rows {
		if i == q.Limit {
			last := rows[i-1]
			page.Next = query.Mark{List: listed, Key: last.Began, ID: last.ID}.Cursor()
			break
		}
		page.Items = append(page.Items, rows[i].alert())
	}
	return page, nil
}

// ReadOpen returns the open alerts of all tenants.
func ReadOpen(ctx context.Context, r *query.Reader) ([]*evaluate.Alert, error) {
	return read(ctx, r, "open_alerts", query.Args{"limit": openMost})
}

func read(ctx context.Context, r *query.Reader, statement string, a query.Args) ([]*evaluate.Alert, error) {
	rows, err := query.Ask[row](ctx, r, statements, statement, nil, a)
	if err != nil {
		return nil, err
	}
	list := make([]*evaluate.Alert, len(rows))
	for i := range rows {
		list[i] = rows[i].alert()
	}
	return list, nil
}

// ReadRecent returns the alerts of all tenants that began or ended since a time.
func ReadRecent(ctx context.Context, r *query.Reader, since time.Time) ([]*evaluate.Alert, error) {
	return read(ctx, r, "recent_alerts", query.Args{"limit": openMost, "since": since.UnixNano()})
}

// Known returns which alerts of a tenant are stored and not deleted, by id.
func Known(ctx context.Context, r *query.Reader, tenant string, list []*evaluate.Alert) (map[string]bool, error) {
	var ids, sessions []string
	for _, a := range list {
		ids, sessions = append(ids, a.ID), append(sessions, a.Session)
	}
	rows, err := query.Ask[struct {
		ID string `ch:"alert_id"`
	}](ctx, r, statements, "known_alerts", nil, query.Args{"tenant": tenant, "sessions": sessions, "ids": ids})
	known := make(map[string]bool, len(rows))
	for _, of := range rows {
		known[of.ID] = true
	}
	return known, err
}
