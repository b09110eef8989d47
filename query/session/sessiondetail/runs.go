package sessiondetail

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"tapedeck/query"
	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/facts/spanmerge"
	"tapedeck/query/facts/usagerecord"
	"tapedeck/query/pricing/cost"
	"tapedeck/schema"
)

// Run is one run of a session, from a user message to its reply.
type Run struct {
	SpanID     string     `json:"span_id"`
	RunID      string     `json:"run_id"`
	Started    time.Time  `json:"started"`
	Ended      *time.Time `json:"ended"`       // null for a run without an end of its own
	DurationMS *float64   `json:"duration_ms"` // null for a run without an end of its own
	Status     string     `json:"status"`
	Error      *string    `json:"error"`
	Agent      string     `json:"agent"`
	Position   string     `json:"position"` // position of the first frame that mentions the run
	// Message is the first message of the user and Reply the last answer of the agent, both cut to
	// an excerpt; null if there is none.
	Message *string                `json:"message"`
	Reply   *string                `json:"reply"`
	Tools   sessionhead.ToolCounts `json:"tools"`
	cost.UsageTotals
}

// runText is a message of the user or the agent, cut to one character more than
// sessionhead.ExcerptLength.
type runText struct {
	ID      string `ch:"message_id"`
	Span    string `ch:"span_id"`
	Run     string `ch:"run_id"`
	Kind    string `ch:"kind"`
	Started int64  `ch:"started_ns"`
	From    int64  `ch:"from_ns"` // first and last time of the message
	Until   int64  `ch:"until_ns"`
	Text    string `ch:"excerpt"`
}

// firstOfUser returns an excerpt of the first message of a user; "" if there is none.
func firstOfUser(texts []runText) string {
	var first *runText
	for i := range texts {
		m := &texts[i]
		if m.Kind == string(schema.MessageUser) && m.Text != "" && (first == nil || m.Started < first.Started) {
			first = m
		}
	}
	if first == nil {
		return ""
	}
	return *sessionhead.Excerpt(first.Text)
}

// newRuns returns the runs among spans, which are ordered by start.
func newRuns(spans []spanmerge.Span, usage []usagerecord.Record, texts []runText) []Run {
	list := []Run{}
	at := owners{spans: map[string]*spanmerge.Span{}, bySpan: map[string]int{}, byID: map[string]int{}}
	for i := range spans {
		s := &spans[i]
		at.spans[s.ID] = s
		if s.Kind != string(schema.SpanRun) {
			continue
		}
		run := Run{
			SpanID: s.ID, RunID: s.Run, Started: query.Instant(s.Begin()),
			Status: s.Status, Error: query.Named(s.Error),
			Agent: s.Agent, Position: s.Position(),
		}
		if !s.Open() {
			run.Ended = query.KnownInstant(s.Ended)
		}
		if d, ok := s.Duration(); ok {
			run.DurationMS = query.KnownMillis(d, true)
		}
		if s.Run != "" {
			at.byID[s.Run] = len(list)
		}
		at.bySpan[s.ID] = len(list)
		list = append(list, run)
	}
	for i := range spans {
		if spans[i].Kind != string(schema.SpanTool) {
			continue
		}
		n, ok := at.find(spans[i].ID, spans[i].Run)
		if !ok {
			continue
		}
		list[n].Tools.Calls++
		if spans[i].Status == string(schema.StatusError) {
			list[n].Tools.Errors++
		}
	}
	for i := range usage {
		if n, ok := at.find(usage[i].SpanID, usage[i].RunID); ok {
			list[n].UsageTotals.Add(usagerecord.TotalsOf(usage[i : i+1]))
		}
	}
	addTexts(list, at, texts)
	return list
}

// owners finds the run of a span, as an index into the runs.
type owners struct {
	spans  map[string]*spanmerge.Span
	bySpan map[string]int // index of a run by its span
	byID   map[string]int // index of a run by the run id in frames
}

// find returns the run that is an ancestor of a span, or else the run with the id.
func (o *owners) find(spanID, runID string) (int, bool) {
	for range len(o.spans) { // bounded: parents that a source reports may form a cycle
		if n, ok := o.bySpan[spanID]; ok {
			return n, true
		}
		s := o.spans[spanID]
		if s == nil {
			break
		}
		spanID = s.Parent
	}
	n, ok := o.byID[runID]
	return n, ok
}

// addTexts assigns messages to runs. A message below a run's span or with the run's id belongs to
// that run. The other messages are assigned by time, see runAt.
func addTexts(list []Run, at owners, texts []runText) {
	slices.SortFunc(texts, func(a, b runText) int {
		return cmp.Or(cmp.Compare(a.Started, b.Started), strings.Compare(a.ID, b.ID))
	})
	whole := make([]bool, len(list)) // whether the reply was reported as a whole
	for i := range texts {
		m := &texts[i]
		if m.Text == "" {
			continue
		}
		n, ok := at.find(m.Span, m.Run)
		if !ok && m.Run == "" {
			n, ok = runAt(list, m)
		}
		if !ok {
			continue
		}
		run := &list[n]
		switch schema.MessageKind(m.Kind) {
		case schema.MessageUser:
			if run.Message == nil {
				run.Message = sessionhead.Excerpt(m.Text)
			}
		case schema.MessageReply:
			run.Reply, whole[n] = sessionhead.Excerpt(m.Text), true
		default:
			if !whole[n] {
				run.Reply = sessionhead.Excerpt(m.Text)
			}
		}
	}
}

// runAt returns the run of a message without a run id: the run in progress, or, for a user message
// after that run's own user message or end, the run that begins next.
func runAt(list []Run, m *runText) (int, bool) {
	said := query.Instant(m.Started)
	next, _ := slices.BinarySearchFunc(list, said, func(r Run, t time.Time) int { return r.Started.Compare(t) })
	during := next - 1
	if next < len(list) && list[next].Started.Equal(said) {
		during = next
	}
	if m.Kind == string(schema.MessageUser) && next < len(list) &&
		(during < 0 || list[during].Message != nil || list[during].Ended != nil && list[during].Ended.Before(said)) {
		return next, true
	}
	return during, during >= 0
}
