package sessionlist

import (
	"context"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/query"
	"tapedeck/query/facts/rollup"
	"tapedeck/query/facts/sessionhead"
)

// Filter selects sessions. What is empty does not matter; of several
// values of one field any will do, but of Tags all must be there.
type Filter struct {
	From, To time.Time // half open: started at From or later, and before To
	Text     string    // stands in the title, the id or a tag's value; case does not matter
	Tags     []TagFilter
	Agents   []string
	Tools    []string
	Models   []string
	Dialects []string
	Statuses []sessionhead.Status
	// What records of usage can be grouped by, too: providers of models, runs by their ids, nodes
	// by their names or ids, service tiers, and how the calls ended that usage is of.
	Providers, Runs, Nodes, ServiceTiers, CallStatuses []string
	// From the first frame to the end, of an open session to the present; both
	// ends included, MaxDuration is 0 for no limit.
	MinDuration, MaxDuration time.Duration
	// Only sessions that have been silent, or open, for at least as long; 0 for no limit.
	SilentFor, RunningFor time.Duration
	// Of all buckets together, both ends included; MaxTokens is nil for no limit.
	MinTokens int64
	MaxTokens *int64
	// Of the calls with a known price, both ends included; nil for no limit. Sessions
	// without a known cost have none of either.
	MinCost, MaxCost *decimal.Decimal
	// Outdated selects sessions with facts of an earlier version of the decoders
	// (query.WithDecoderVersion).
	Outdated bool
}

// TagFilter asks for a tag.
type TagFilter struct {
	Key, Value string
	AnyValue   bool
}

// Sort is the order of the list; "-" before the word turns it around.
type Sort string

// SessionSorts are the orders there are, the default first.
var Sorts = []Sort{"-started", "started", "-last_at", "last_at", "-duration", "duration", "-tokens", "tokens", "-cost", "cost"}

// Query asks for a page of the list.
type Query struct {
	Tenant string
	Filter
	Sort   Sort // "" stands for newest first
	Limit  int  // sessions on a page, at least 1
	Cursor string

	view *rollup.View // nil if nothing is settled
	only []string     // only these sessions; nil for all
}

// Read returns a page of the list.
func Read(ctx context.Context, r *query.Reader, q Query) (*query.Page[sessionhead.Summary], error) {
	if q.Sort == "" {
		q.Sort = Sorts[0]
	}
	list := "sessions " + string(q.Sort)
	after, err := query.ParseMark(list, q.Cursor)
	if err != nil {
		return nil, err
	}
	// A status shows only once all of a session was looked at, and so do the
	// dialects that stand: a page is gathered from as many batches as it takes.
	batch := q.Limit + 1
	if len(q.Statuses) > 0 || len(q.Dialects) > 0 {
		batch = max(batch, 200)
	}
	page := &query.Page[sessionhead.Summary]{Items: []sessionhead.Summary{}}
	if q.view, err = rollup.Read(ctx, r, q.Tenant, nil, nil); err != nil {
		return nil, err
	}
	open, err := openFor(ctx, r, &q, after)
	if err != nil {
		return nil, err
	}
	var last query.Mark // of the last item
	var found []*summary
	for {
		ids, err := readIDs(ctx, r, &q, open, after, batch)
		if err != nil {
			return nil, err
		}
		sessions, err := readSummaries(ctx, r, q.Tenant, ids, q.view)
		if err != nil {
			return nil, err
		}
		for i := range ids {
			s := sessions[ids[i].ID]
			if s == nil || !q.stands(&s.Summary) {
				continue // removed in between, or not what is asked for
			}
			if len(found) == q.Limit {
				page.Next = last.Cursor()
				return page, fill(ctx, r, q.Tenant, page, found)
			}
			found = append(found, s)
			last = query.Mark{List: list, Key: ids[i].SortKey, ID: ids[i].ID, Now: open.At()}
		}
		if len(ids) < batch {
			return page, fill(ctx, r, q.Tenant, page, found)
		}
		end := ids[len(ids)-1]
		after = &query.Mark{List: list, Key: end.SortKey, ID: end.ID}
	}
}

// fill puts sessions on a page, with their ends.
func fill(ctx context.Context, r *query.Reader, tenant string, page *query.Page[sessionhead.Summary], found []*summary) error {
	if err := setEnds(ctx, r, tenant, found); err != nil {
		return err
	}
	for _, s := range found {
		page.Items = append(page.Items, s.Summary)
	}
	return nil
}

// stands reports whether a session has one of the statuses and dialects of the query,
// and has been silent and open for long enough.
func (f *Filter) stands(s *sessionhead.Summary) bool {
	if len(f.Statuses) > 0 && !slices.Contains(f.Statuses, s.Status) {
		return false
	}
	if f.SilentFor > 0 && (s.SilentMS == nil || *s.SilentMS < query.Millis(int64(f.SilentFor))) ||
		f.RunningFor > 0 && (s.RunningMS == nil || *s.RunningMS < query.Millis(int64(f.RunningFor))) {
		return false
	}
	return len(f.Dialects) == 0 || slices.ContainsFunc(s.Dialects, func(d string) bool {
		return slices.Contains(f.Dialects, d)
	})
}
