package timeline_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"tapedeck/query/facts/sessionhead"
	"tapedeck/query/facts/usagerecord"
	"tapedeck/query/pricing/cost"
	"tapedeck/query/pricing/prices"
	"tapedeck/query/querytest"
	"tapedeck/query/session/timeline"
	"tapedeck/schema"
)

func dollars(amount string) *cost.Money {
	return &cost.Money{Amount: decimal.RequireFromString(amount), Currency: "USD"}
}

// outline writes the spans of a timeline one a line, what they hold indented:
// "<id> <status> at <start_ms> for <duration_ms>".
func outline(spans []*timeline.Span, indent string) string {
	var b strings.Builder
	for _, s := range spans {
		fmt.Fprintf(&b, "%s%s %s at %g", indent, s.ID, s.Status, s.StartMS)
		if s.DurationMS != nil {
			fmt.Fprintf(&b, " for %g", *s.DurationMS)
		}
		if s.Open {
			fmt.Fprintf(&b, ", open for %g", *s.OpenMS)
		}
		if s.FirstTokenMS != nil {
			fmt.Fprintf(&b, ", first token after %g", *s.FirstTokenMS)
		}
		if s.ReportedMS != nil {
			fmt.Fprintf(&b, ", reported %g", *s.ReportedMS)
		}
		if s.Tokens != nil {
			fmt.Fprintf(&b, ", %d tokens in %d records", s.Tokens.Total, len(s.Usage))
		}
		b.WriteByte('\n')
		b.WriteString(outline(s.Children, indent+"  "))
	}
	return b.String()
}

func TestTimeline(t *testing.T) {
	db := querytest.Open(t)
	llm := querytest.Span(schema.SpanLLM, "llm", "think", "gpt-5", schema.StatusOK, 1, 3)
	llm.FirstToken, llm.Model, llm.Provider = querytest.AtSecond(1.25), "gpt-5", "openai"
	llm.Attributes = `{"temperature":0.5}`
	timed := querytest.Tool("timed", "read", schema.StatusOK, 4, 5)
	timed.Parent, timed.Duration, timed.CallID = "act", int64(300*time.Millisecond), "call_1"
	hung := querytest.Tool("hung", "bash", schema.StatusOpen, 6, 0)
	hung.Parent = "act"
	refused := querytest.Tool("refused", "rm", schema.StatusRejected, 0, 8)
	refused.Parent, refused.Started, refused.SeenAt, refused.Error = "act", 0, querytest.AtSecond(7), "User rejected."
	cut := querytest.Tool("cut", "bash", schema.StatusUnclosed, 7.5, 9)
	cut.Parent = "act"
	onLLM, onNothing := querytest.Used("u1", "gpt-5", 3, schema.Tokens{Input: 10, Output: 4}), querytest.Used("u3", "", 3.5, schema.Tokens{Output: 1})
	onLLM.Span, onLLM.Total, onLLM.Raw = "llm", 15, `{"prompt_tokens": 10,"completion_tokens":4,"total_tokens":15}`
	again := querytest.Used("u2", "gpt-5", 3.1, schema.Tokens{Output: 2})
	again.Span = "llm"
	onNothing.Span, onNothing.Raw = "nowhere", "not json"
	text := querytest.Said("m1", schema.MessageAssistant, "", "four chunks", 1.25)
	text.Span, text.ChunkAt, text.ChunkEnd = "llm", []int64{querytest.AtSecond(1.25), querytest.AtSecond(1.3), querytest.AtSecond(1.8), querytest.AtSecond(1.9)}, []uint32{2, 4, 8, 11}
	text.Ended = querytest.AtSecond(1.9)
	silent := querytest.Said("m2", schema.MessageThinking, "", "not an answer", 1)
	silent.ChunkAt, silent.ChunkEnd = []int64{querytest.AtSecond(1), querytest.AtSecond(2)}, []uint32{1, 2}
	rec := querytest.Recording{
		Session: "s", Stream: 1, Live: true,
		State: schema.StreamState{FirstAt: querytest.AtSecond(0), LastAt: querytest.AtSecond(10)},
		Spans: []schema.Span{
			querytest.Span(schema.SpanNode, "act", "run", "act", schema.StatusOpen, 3.5, 0),
			querytest.Span(schema.SpanNode, "think", "run", "think", schema.StatusOK, 0.5, 3.25),
			querytest.Run("run", schema.StatusOpen, 0, 0), llm, timed, hung, refused, cut,
			querytest.Tool("orphan", "bash", schema.StatusOK, 2, 2.5),
		},
		Usages:   []schema.Usage{onLLM, again, onNothing},
		Messages: []schema.Message{text, silent, querytest.Said("m3", schema.MessageAssistant, "", "in one piece", 4)},
	}
	rec.Spans[8].Parent = "gone"
	// Another stream joined in late and received the end of one call once more.
	late := querytest.Recording{Session: "s", Stream: 2, Live: true, State: schema.StreamState{FirstAt: querytest.AtSecond(4.5), LastAt: querytest.AtSecond(5)},
		Spans:    []schema.Span{{Fact: schema.Fact{ID: "timed", SeenAt: querytest.AtSecond(5)}, Kind: schema.SpanTool, Status: schema.StatusOK, Ended: querytest.AtSecond(5.5)}},
		Messages: []schema.Message{{Fact: schema.Fact{ID: "m1"}, Kind: schema.MessageAssistant, Span: "llm", Text: "nks", Started: querytest.AtSecond(1.9), Ended: querytest.AtSecond(1.9)}},
	}
	db.Add(rec, late)
	tree := func(open float64) string {
		return querytest.Lines(
			fmt.Sprintf("run open at 0, open for %g", open*1000),
			"  think ok at 500 for 2750",
			"    llm ok at 1000 for 2000, first token after 250, 16 tokens in 2 records",
			fmt.Sprintf("  act open at 3500, open for %g", (open-3.5)*1000),
			"    timed ok at 4000 for 1000, reported 300",
			fmt.Sprintf("    hung open at 6000, open for %g", (open-6)*1000),
			"    refused rejected at 7000",
			"    cut unclosed at 7500, open for 1500",
			"orphan ok at 2000 for 500", "")
	}
	live := querytest.Must[*timeline.Timeline](t)(timeline.Read(t.Context(), querytest.Reader(db, 40), db.Tenant, "s"))
	querytest.Equal(t, "while it runs", tree(40), outline(live.Spans, ""))
	if live.Status != sessionhead.Running || live.Ended != nil || live.DurationMS != 10000 {
		t.Errorf("while it runs: %s, ended %v, %g ms", live.Status, live.Ended, live.DurationMS)
	}
	dead := querytest.Must[*timeline.Timeline](t)(timeline.Read(t.Context(), querytest.Reader(db, 1e6), db.Tenant, "s"))
	querytest.Equal(t, "long after it fell silent", tree(10), outline(dead.Spans, ""))
	if dead.Status != sessionhead.Lost || dead.Ended == nil || !dead.Ended.Equal(querytest.When(10)) {
		t.Errorf("long after: %s, ended %v", dead.Status, dead.Ended)
	}

	querytest.Equal(t, "a model call", &timeline.Span{
		ID: "llm", Parent: "think", Kind: "llm", Name: "gpt-5", Status: "ok", Started: querytest.When(1), StartMS: 1000,
		Position: schema.Position{At: querytest.AtSecond(1), StreamID: querytest.StreamID(1), Seq: 3}.String(),
		Ended:    querytest.Ptr(querytest.When(3)), DurationMS: querytest.Ptr(2000.0), FirstTokenMS: querytest.Ptr(250.0), Agent: "main",
		Model: querytest.Ptr("gpt-5"), Provider: querytest.Ptr("openai"), Attributes: []byte(`{"temperature":0.5}`),
		Tokens: &cost.Tokens{Input: 10, Output: 6, Total: 16}, Children: []*timeline.Span{},
		Usage: []usagerecord.Record{
			{
				ID: "u1", SpanID: "llm", Agent: "main", Model: querytest.Ptr("gpt-5"), Provider: querytest.Ptr("openai"), Mode: "add", Scope: "u1", At: querytest.When(3),
				Tokens: cost.Tokens{Input: 10, Output: 4, Total: 14}, StatedTotal: querytest.Ptr(uint64(15)), Discrepancy: true, Raw: []byte(onLLM.Raw),
				Shares: &cost.Shares{Input: decimal.RequireFromString("0.0000125"), Output: decimal.RequireFromString("0.00004")},
				Cost:   dollars("0.0000525"), // gpt-5: 10 at 1.25 and 4 at 10 dollars a million
			},
			{
				ID: "u2", SpanID: "llm", Agent: "main", Model: querytest.Ptr("gpt-5"), Provider: querytest.Ptr("openai"), Mode: "add", Scope: "u2", At: querytest.When(3.1),
				Tokens: cost.Tokens{Output: 2, Total: 2}, Cost: dollars("0.00002"), Shares: &cost.Shares{Output: decimal.RequireFromString("0.00002")},
			},
		},
	}, live.Spans[0].Children[0].Children[0])
	querytest.Equal(t, "a refused call", "User rejected.", *live.Spans[0].Children[1].Children[2].Error)
	querytest.Equal(t, "a call's id", "call_1", live.Spans[0].Children[1].Children[0].CallID)
	querytest.Equal(t, "usage of no span", []usagerecord.Record{{
		ID: "u3", SpanID: "nowhere", Agent: "main", Provider: querytest.Ptr("openai"), Mode: "add", Scope: "u3", At: querytest.When(3.5), Tokens: cost.Tokens{Output: 1, Total: 1},
		Unpriced: querytest.Ptr(prices.NoModel),
	}}, live.Usage)
	// 50, 500 and 100 ms: the median is 100, the longest began at 1.3 s.
	querytest.Equal(t, "gaps", []timeline.Gaps{{
		MessageID: "m1", SpanID: "llm", Chunks: 4, StartMS: 1250, P50MS: 100, MaxMS: 500, MaxAtMS: 1300,
	}}, live.Gaps)
}

func TestTimelineOfNothing(t *testing.T) {
	db := querytest.Open(t)
	db.Add(querytest.Recording{Session: "s", Stream: 1, Frames: []schema.Frame{{At: querytest.AtSecond(0), Raw: []byte("x")}}})
	got := querytest.Must[*timeline.Timeline](t)(timeline.Read(t.Context(), querytest.Reader(db, 100), db.Tenant, "s"))
	querytest.Equal(t, "timeline", &timeline.Timeline{
		SessionID: "s", Status: sessionhead.Fine, Started: querytest.When(0), Ended: querytest.Ptr(querytest.When(0)),
		Spans: []*timeline.Span{}, Usage: []usagerecord.Record{}, Gaps: []timeline.Gaps{},
	}, got)
}

// TestFirstToken: the time to the first output is there where it was measured. A call that
// began with its first output, or of which only the end was seen, has none.
func TestFirstToken(t *testing.T) {
	db := querytest.Open(t)
	call := func(id string, started, first float64) schema.Span {
		s := querytest.Span(schema.SpanLLM, id, "", "gpt-5", schema.StatusOK, started, 9)
		if first > 0 {
			s.FirstToken = querytest.AtSecond(first)
		}
		return s
	}
	ended := call("ended", 4, 5)
	ended.Started = 0
	db.Add(querytest.Recording{Session: "s", Spans: []schema.Span{
		call("measured", 1, 1.5), call("began with it", 2, 2), call("said nothing", 3, 0), ended,
	}})
	got := querytest.Must[*timeline.Timeline](t)(timeline.Read(t.Context(), querytest.Reader(db, 20), db.Tenant, "s"))
	for _, s := range got.Spans {
		switch want := 500.0; {
		case s.ID == "measured" && (s.FirstTokenMS == nil || *s.FirstTokenMS != want):
			t.Errorf("%s: %v, want %v", s.ID, s.FirstTokenMS, want)
		case s.ID != "measured" && s.FirstTokenMS != nil:
			t.Errorf("%s: %v, want none", s.ID, *s.FirstTokenMS)
		}
	}
	if len(got.Spans) != 4 {
		t.Errorf("%d spans", len(got.Spans))
	}
}
