package query

import (
	"context"
	"fmt"
	"time"

	"tapedeck/internal/problem"
	"tapedeck/schema"
)

// SessionDetail is all there is to say of one session but its frames, spans and
// messages.
type SessionDetail struct {
	SessionHead
	Runs          []Run         `json:"runs"`
	Streams       []Stream      `json:"streams"`
	Totals        Totals        `json:"totals"`
	Discrepancies []Discrepancy `json:"discrepancies"`
}

// Totals add up a session.
type Totals struct {
	Runs    uint64     `json:"runs"`
	Streams uint64     `json:"streams"`
	Frames  uint64     `json:"frames"`
	Bytes   uint64     `json:"bytes"`
	Tools   ToolCounts `json:"tools"`
	Spent
}

// Stream is one stream's part in a session.
type Stream struct {
	ID        string            `json:"stream_id"`
	Transport string            `json:"transport"`
	Dialect   string            `json:"dialect"`
	Evidence  string            `json:"evidence"` // why this dialect
	Source    string            `json:"source"`   // where it was tapped
	Tags      map[string]string `json:"tags"`
	Title     string            `json:"title"`
	FirstAt   time.Time         `json:"first_at"`
	LastAt    time.Time         `json:"last_at"`
	Frames    uint64            `json:"frames"`
	Bytes     uint64            `json:"bytes"`
	// Ended is null and EndReason empty while the stream runs, or if its tap
	// never said how it ended.
	Ended     *time.Time `json:"ended"`
	EndReason string     `json:"end_reason"`
	// Digest is the SHA-256 of a file or an upload, in hexadecimal; "" of other
	// streams, and of those that were not recorded to their end.
	Digest string `json:"digest"`
	// IsLost marks a stream that has not ended and whose recorder is gone.
	IsLost   bool     `json:"lost"`
	Counters Counters `json:"counters"`
}

// Counters count what was special about frames.
type Counters struct {
	NotJSON     uint64 `json:"not_json"`
	InvalidUTF8 uint64 `json:"invalid_utf8"`
	Oversize    uint64 `json:"oversize"`
	Unknown     uint64 `json:"unknown"`
	Lost        uint64 `json:"lost"`
	Repeated    uint64 `json:"repeated"`
	Back        uint64 `json:"back"`
}

func (c *Counters) add(o *Counters) {
	c.NotJSON += o.NotJSON
	c.InvalidUTF8 += o.InvalidUTF8
	c.Oversize += o.Oversize
	c.Unknown += o.Unknown
	c.Lost += o.Lost
	c.Repeated += o.Repeated
	c.Back += o.Back
}

// Session gives one session. The error of one that is not there is a problem
// with status 404, here as for all that is asked of a session.
func (r *Reader) Session(ctx context.Context, tenant, session string) (*SessionDetail, error) {
	s, err := r.find(ctx, tenant, session)
	if err != nil {
		return nil, err
	}
	streams, err := r.streams(ctx, tenant, s)
	if err != nil {
		return nil, err
	}
	spans, err := r.spans(ctx, tenant, s)
	if err != nil {
		return nil, err
	}
	usage, err := r.usageRecords(ctx, tenant, s)
	if err != nil {
		return nil, err
	}
	texts, err := ask[runText](ctx, r, "run_texts", nil, inSession(tenant, s).with("length", excerptLength))
	if err != nil {
		return nil, err
	}
	counted := countSpans(spans)
	head := r.summary(s, counted, r.now().UnixNano())
	head.Spent = spentOn(usage)
	d := &SessionDetail{
		SessionHead: head.SessionHead, Streams: streams, Runs: runs(spans, usage, texts),
		Totals: Totals{
			Runs: counted.Runs, Streams: s.Streams, Frames: s.Frames, Bytes: s.Bytes,
			Tools: head.Tools, Spent: head.Spent,
		},
	}
	d.End = sessionEnd(&d.SessionHead, s, counted.Runs, spans)
	var counters Counters
	for i := range streams {
		counters.add(&streams[i].Counters)
	}
	d.Discrepancies = discrepancies(&counters, counted, &head.Spent, repeatedStreams(streams))
	return d, nil
}

// find gives what the streams tell of a session.
func (r *Reader) find(ctx context.Context, tenant, session string) (*sessionStreamsRow, error) {
	rows, err := ask[sessionStreamsRow](ctx, r, "session_streams", sessionStreamsShape{Ends: true},
		r.liveness(r.now().UnixNano()).and(args{"tenant": tenant, "sessions": []string{session}}))
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		p := problem.NotFound(fmt.Sprintf("There is no session %q.", session))
		p.Hint = "GET /v1/sessions lists the sessions there are."
		return nil, p
	}
	return &rows[0], nil
}

// inSession are the parameters for the facts of one session.
func inSession(tenant string, s *sessionStreamsRow) args {
	return args{"tenant": tenant, "sessions": []string{s.ID}}.within(s.Started, s.Last)
}

// countSpans gives of one session's spans what sql/session_spans.sql gives of
// many sessions'.
func countSpans(spans []span) *sessionSpansRow {
	c := &sessionSpansRow{}
	agents, models := map[string]bool{}, map[string]bool{}
	var last *span
	for i := range spans {
		s := &spans[i]
		status := schema.Status(s.Status)
		agents[s.Agent], models[s.Model] = true, true
		if status == schema.StatusUnclosed {
			c.UnclosedSpans++
		} else if s.open() {
			c.OpenSpans++
		}
		switch schema.SpanKind(s.Kind) {
		case schema.SpanRun:
			c.Runs++
			switch {
			case status == schema.StatusUnclosed:
				c.UnclosedRuns++
			case s.open():
				c.OpenRuns++
			case status == schema.StatusError:
				c.FailedRuns++
			case status == schema.StatusCancelled:
				c.CancelledRuns++
			}
			if last == nil || last.seen().Compare(s.seen()) < 0 {
				last, c.LastRun = s, s.Status
			}
		case schema.SpanTool:
			c.ToolCalls++
			if status == schema.StatusError {
				c.ToolErrors++
			}
		}
	}
	c.Agents, c.Models = sortedNames(agents), sortedNames(models)
	return c
}
