package query

import (
	"context"
	"slices"
	"time"
)

// Session is one line of the list.
type Session struct {
	SessionHead
	Runs    uint64 `json:"runs"`
	Streams uint64 `json:"streams"`
}

// SessionHead is what the list and the page of one session have in common.
type SessionHead struct {
	ID      string    `json:"id"`
	Started time.Time `json:"started"` // arrival of the first frame
	// Ended is when its last stream ended, or the arrival of the last frame if no end
	// was recorded after it; null while the session is open.
	Ended  *time.Time `json:"ended"`
	LastAt time.Time  `json:"last_at"` // arrival of the last frame so far
	// DurationMS is the time from the first frame to Ended, to LastAt while it is open.
	DurationMS float64 `json:"duration_ms"`
	// RunningMS is the time since the start, null unless the session is open;
	// SilentMS is that since the last frame, null unless it is open or lost. Both
	// are by the clock of the server that answers.
	RunningMS *float64          `json:"running_ms"`
	SilentMS  *float64          `json:"silent_ms"`
	Status    SessionStatus     `json:"status"`
	End       *SessionEnd       `json:"end"`   // how it ended; null while it is open
	Title     string            `json:"title"` // the first user message, cut short; "" if there is none
	Frames    uint64            `json:"frames"`
	Bytes     uint64            `json:"bytes"`
	Tools     ToolCounts        `json:"tools"`
	Dialects  []string          `json:"dialects"`
	Agents    []string          `json:"agents"`
	Models    []string          `json:"models"`
	Tags      map[string]string `json:"tags"`
	Spent
}

// ToolCounts counts tool calls.
type ToolCounts struct {
	Calls  uint64 `json:"calls"`
	Errors uint64 `json:"errors"`
}

// SessionFilter selects sessions. What is empty does not matter; of several
// values of one field any will do, but of Tags all must be there.
type SessionFilter struct {
	From, To time.Time // half open: started at From or later, and before To
	Text     string    // stands in the title, the id or a tag's value; case does not matter
	Tags     []TagFilter
	Agents   []string
	Tools    []string
	Models   []string
	Dialects []string
	Statuses []SessionStatus
	// From the first frame to the end, of an open session to the present; both
	// ends included, MaxDuration is 0 for no limit.
	MinDuration, MaxDuration time.Duration
	// Only sessions that have been silent, or open, for at least as long; 0 for no limit.
	SilentFor, RunningFor time.Duration
	// Of all buckets together, both ends included; MaxTokens is nil for no limit.
	MinTokens int64
	MaxTokens *int64
}

// TagFilter asks for a tag.
type TagFilter struct {
	Key, Value string
	AnyValue   bool
}

// SessionSort is the order of the list; "-" before the word turns it around.
type SessionSort string

// SessionSorts are the orders there are, the default first.
var SessionSorts = []SessionSort{"-started", "started", "-last_at", "last_at", "-duration", "duration", "-tokens", "tokens"}

// SessionQuery asks for a page of the list.
type SessionQuery struct {
	Tenant string
	SessionFilter
	Sort   SessionSort // "" stands for newest first
	Limit  int         // sessions on a page, at least 1
	Cursor string
}

// Sessions gives a page of the list.
func (r *Reader) Sessions(ctx context.Context, q SessionQuery) (*Page[Session], error) {
	if q.Sort == "" {
		q.Sort = SessionSorts[0]
	}
	list := "sessions " + string(q.Sort)
	after, err := parseMark(list, q.Cursor)
	if err != nil {
		return nil, err
	}
	// A status shows only once all of a session was looked at, and so do the
	// dialects that stand: a page is gathered from as many batches as it takes.
	batch := q.Limit + 1
	if len(q.Statuses) > 0 || len(q.Dialects) > 0 {
		batch = max(batch, 200)
	}
	page := &Page[Session]{Items: []Session{}}
	open, err := r.openFor(ctx, &q, after)
	if err != nil {
		return nil, err
	}
	var last mark // of the last item
	var found []*sessionSummary
	for {
		ids, err := r.sessionIDs(ctx, &q, open, after, batch)
		if err != nil {
			return nil, err
		}
		sessions, err := r.summaries(ctx, q.Tenant, ids)
		if err != nil {
			return nil, err
		}
		for i := range ids {
			s := sessions[ids[i].ID]
			if s == nil || !q.stands(&s.Session) {
				continue // removed in between, or not what is asked for
			}
			if len(found) == q.Limit {
				page.Next = last.cursor()
				return page, r.fill(ctx, q.Tenant, page, found)
			}
			found = append(found, s)
			last = mark{List: list, Key: ids[i].SortKey, ID: ids[i].ID, Now: open.at()}
		}
		if len(ids) < batch {
			return page, r.fill(ctx, q.Tenant, page, found)
		}
		end := ids[len(ids)-1]
		after = &mark{List: list, Key: end.SortKey, ID: end.ID}
	}
}

// fill puts sessions on a page, with their ends.
func (r *Reader) fill(ctx context.Context, tenant string, page *Page[Session], found []*sessionSummary) error {
	if err := r.setEnds(ctx, tenant, found); err != nil {
		return err
	}
	for _, s := range found {
		page.Items = append(page.Items, s.Session)
	}
	return nil
}

// stands reports whether a session has one of the statuses and dialects of the query,
// and has been silent and open for long enough.
func (f *SessionFilter) stands(s *Session) bool {
	if len(f.Statuses) > 0 && !slices.Contains(f.Statuses, s.Status) {
		return false
	}
	if f.SilentFor > 0 && (s.SilentMS == nil || *s.SilentMS < millis(int64(f.SilentFor))) ||
		f.RunningFor > 0 && (s.RunningMS == nil || *s.RunningMS < millis(int64(f.RunningFor))) {
		return false
	}
	return len(f.Dialects) == 0 || slices.ContainsFunc(s.Dialects, func(d string) bool {
		return slices.Contains(f.Dialects, d)
	})
}
