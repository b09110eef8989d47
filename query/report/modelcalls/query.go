package modelcalls

import (
	"context"
	"time"

	"tapedeck/query"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/report/grouping"
	"tapedeck/query/sessionfilter"
)

var statements = grouping.Statements("report/modelcalls")

// Groupings lists the allowed groupings of a report on calls.
var Groupings = []string{"model", "provider", "agent", "session"}

// groupColumns are the columns for groupings.
var groupColumns = map[string]string{"model": "call_model", "provider": "call_provider", "agent": "call_agent",
	"session": "session_id"}

// Outcome is how a call ended.
type Outcome string

// Outcomes. A call whose answer was cut off by a token limit is truncated. A call whose answer was
// withheld by the model or a filter is refused. Both take precedence over the status.
const (
	OK        Outcome = "ok"
	Failed    Outcome = "error"
	Truncated Outcome = "truncated"
	Refused   Outcome = "refused"
	Cancelled Outcome = "cancelled"
	Unclosed  Outcome = "unclosed" // its stream or run ended before the call
	Open      Outcome = "open"
)

// Outcomes lists all outcomes.
var Outcomes = []Outcome{OK, Failed, Truncated, Refused, Cancelled, Unclosed, Open}

// Stop reasons of providers, in lower case.
var (
	truncating = []string{
		"length", "max_tokens", "max_output_tokens", "max_completion_tokens",
		"model_length", "model_context_window_exceeded", "max_length",
	}
	refusing = []string{
		"refusal", "content_filter", "content_filtered", "guardrail_intervened",
		"safety", "recitation", "prohibited_content",
		"blocklist", "spii", "image_safety", "image_prohibited_content", "error_toxic",
	}
)

// DefaultStall is the default of Query.Stall: the shortest gap that counts as a stall.
const DefaultStall = 5 * time.Second

// Query selects calls.
type Query struct {
	Tenant      string
	From, To    time.Time            // half open, by the first frame of a call; zero for no limit
	Zone        *time.Location       // the zone of periods; nil means UTC
	Granularity grouping.Granularity // "" means Whole
	GroupBy     []string
	Sessions    *sessionfilter.Filter // only calls of these sessions; nil for all
	Models      []string              // only calls of these models
	Providers   []string
	Agents      []string
	Outcomes    []Outcome
	Stall       time.Duration // 0 means DefaultStall
	Bins        bool          // compute distributions
	Order       Order         // order of the listed calls
	Limit       int           // number of listed calls
}

// shape selects the optional parts of the statements.
type shape struct {
	grouping.Shape
	Models, Providers, Agents, Outcomes bool
	Order, Having                       string
}

// asked is a query with the parameters of its statements.
type asked struct {
	*grouping.Report
	shape shape
}

func prepare(ctx context.Context, r *query.Reader, q *Query) (*asked, error) {
	b := grouping.New(q.Tenant, q.From, q.To, q.Zone, q.Granularity)
	b.Shape.Period = b.Granularity.Expression("seen_ns")
	for _, name := range q.GroupBy {
		if groupColumns[name] == "" {
			return nil, grouping.NoGrouping(name, Groupings)
		}
		b.Shape.Groups = append(b.Shape.Groups, groupColumns[name])
	}
	stall := q.Stall
	if stall == 0 {
		stall = DefaultStall
	}
	for name, value := range map[string]any{
		"stall": stall.Nanoseconds(), "retry_within": rollup.RetryWithin.Nanoseconds(),
		"truncating": truncating, "refusing": refusing,
		"models": q.Models, "providers": q.Providers, "agents": q.Agents,
		"outcomes": texts(q.Outcomes), "listed": q.Limit,
	} {
		b.Args[name] = value
	}
	if q.Sessions != nil {
		ids, err := sessionfilter.Matching(ctx, r, q.Tenant, q.Sessions)
		if err == nil {
			err = b.Restrict(ids)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := b.UseCalls(ctx, r); err != nil {
		return nil, err
	}
	order := orders[q.Order]
	return &asked{b, shape{
		Shape: b.Shape, Models: len(q.Models) > 0, Providers: len(q.Providers) > 0, Agents: len(q.Agents) > 0,
		Outcomes: len(q.Outcomes) > 0, Order: order.by, Having: order.having,
	}}, nil
}

func texts(list []Outcome) []string {
	out := make([]string, len(list))
	for i, o := range list {
		out[i] = string(o)
	}
	return out
}

// ask runs a statement of a query.
func ask[Row any](ctx context.Context, r *query.Reader, a *asked, name string) ([]Row, error) {
	rows, err := query.Ask[Row](a.Context(ctx), r, statements, name, a.shape, a.Args)
	if err == nil && len(rows) > grouping.MaxRows {
		err = grouping.ErrTooManyRows
	}
	return rows, err
}
