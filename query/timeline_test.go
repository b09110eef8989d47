package query_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tapedeck/deploy/local/localtest"
	"tapedeck/query"
	"tapedeck/query/querytest"
	"tapedeck/schema"
)

// outline writes the spans of a timeline one a line, what they hold indented:
// "<id> <status> at <start_ms> for <duration_ms>".
func outline(spans []*query.TimelineSpan, indent string) string {
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
	db := querytest.Open(t, localtest.ClickHouse(t))
	llm := span(schema.SpanLLM, "llm", "think", "gpt-5", schema.StatusOK, 1, 3)
	llm.FirstToken, llm.Model, llm.Provider = at(1.25), "gpt-5", "openai"
	llm.Attributes = `{"temperature":0.5}`
	timed := tool("timed", "read", schema.StatusOK, 4, 5)
	timed.Parent, timed.Duration, timed.CallID = "act", int64(300*time.Millisecond), "call_1"
	hung := tool("hung", "bash", schema.StatusOpen, 6, 0)
	hung.Parent = "act"
	refused := tool("refused", "rm", schema.StatusRejected, 0, 8)
	refused.Parent, refused.Started, refused.SeenAt, refused.Error = "act", 0, at(7), "User rejected."
	cut := tool("cut", "bash", schema.StatusUnclosed, 7.5, 9)
	cut.Parent = "act"
	onLLM, onNothing := used("u1", "gpt-5", 3, schema.Tokens{Input: 10, Output: 4}), used("u3", "", 3.5, schema.Tokens{Output: 1})
	onLLM.Span, onLLM.Total, onLLM.Raw = "llm", 15, `{"prompt_tokens": 10,"completion_tokens":4,"total_tokens":15}`
	again := used("u2", "gpt-5", 3.1, schema.Tokens{Output: 2})
	again.Span = "llm"
	onNothing.Span, onNothing.Raw = "nowhere", "not json"
	text := said("m1", schema.MessageAssistant, "", "four chunks", 1.25)
	text.Span, text.ChunkAt, text.ChunkEnd = "llm", []int64{at(1.25), at(1.3), at(1.8), at(1.9)}, []uint32{2, 4, 8, 11}
	text.Ended = at(1.9)
	silent := said("m2", schema.MessageThinking, "", "not an answer", 1)
	silent.ChunkAt, silent.ChunkEnd = []int64{at(1), at(2)}, []uint32{1, 2}
	rec := querytest.Recording{
		Session: "s", Stream: 1, Live: true,
		State: schema.StreamState{FirstAt: at(0), LastAt: at(10)},
		Spans: []schema.Span{
			span(schema.SpanNode, "act", "run", "act", schema.StatusOpen, 3.5, 0),
			span(schema.SpanNode, "think", "run", "think", schema.StatusOK, 0.5, 3.25),
			run("run", schema.StatusOpen, 0, 0), llm, timed, hung, refused, cut,
			tool("orphan", "bash", schema.StatusOK, 2, 2.5),
		},
		Usages:   []schema.Usage{onLLM, again, onNothing},
		Messages: []schema.Message{text, silent, said("m3", schema.MessageAssistant, "", "in one piece", 4)},
	}
	rec.Spans[8].Parent = "gone"
	// Another stream joined in late and was told of the end of one call once more.
	late := querytest.Recording{Session: "s", Stream: 2, Live: true, State: schema.StreamState{FirstAt: at(4.5), LastAt: at(5)},
		Spans:    []schema.Span{{Fact: schema.Fact{ID: "timed", SeenAt: at(5)}, Kind: schema.SpanTool, Status: schema.StatusOK, Ended: at(5.5)}},
		Messages: []schema.Message{{Fact: schema.Fact{ID: "m1"}, Kind: schema.MessageAssistant, Span: "llm", Text: "nks", Started: at(1.9), Ended: at(1.9)}},
	}
	db.Add(rec, late)
	tree := func(open float64) string {
		return lines(
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
	live := must[*query.Timeline](t)(reader(db, 40).Timeline(t.Context(), querytest.Tenant, "s"))
	equal(t, "while it runs", tree(40), outline(live.Spans, ""))
	if live.Status != query.Running || live.Ended != nil || live.DurationMS != 10000 {
		t.Errorf("while it runs: %s, ended %v, %g ms", live.Status, live.Ended, live.DurationMS)
	}
	dead := must[*query.Timeline](t)(reader(db, 1e6).Timeline(t.Context(), querytest.Tenant, "s"))
	equal(t, "long after it fell silent", tree(10), outline(dead.Spans, ""))
	if dead.Status != query.Lost || dead.Ended == nil || !dead.Ended.Equal(when(10)) {
		t.Errorf("long after: %s, ended %v", dead.Status, dead.Ended)
	}

	equal(t, "a model call", &query.TimelineSpan{
		ID: "llm", Parent: "think", Kind: "llm", Name: "gpt-5", Status: "ok", Started: when(1), StartMS: 1000,
		Position: schema.Position{At: at(1), StreamID: querytest.StreamID(1), Seq: 3}.String(),
		Ended:    ptr(when(3)), DurationMS: ptr(2000.0), FirstTokenMS: ptr(250.0), Agent: "main",
		Model: ptr("gpt-5"), Provider: ptr("openai"), Attributes: []byte(`{"temperature":0.5}`),
		Tokens: &query.Tokens{Input: 10, Output: 6, Total: 16}, Children: []*query.TimelineSpan{},
		Usage: []query.UsageRecord{
			{
				ID: "u1", SpanID: "llm", Agent: "main", Model: ptr("gpt-5"), Provider: ptr("openai"), Mode: "add", Scope: "u1", At: when(3),
				Tokens: query.Tokens{Input: 10, Output: 4, Total: 14}, StatedTotal: ptr(uint64(15)), Discrepancy: true, Raw: []byte(onLLM.Raw),
			},
			{
				ID: "u2", SpanID: "llm", Agent: "main", Model: ptr("gpt-5"), Provider: ptr("openai"), Mode: "add", Scope: "u2", At: when(3.1),
				Tokens: query.Tokens{Output: 2, Total: 2},
			},
		},
	}, live.Spans[0].Children[0].Children[0])
	equal(t, "a refused call", "User rejected.", *live.Spans[0].Children[1].Children[2].Error)
	equal(t, "a call's id", "call_1", live.Spans[0].Children[1].Children[0].CallID)
	equal(t, "usage of no span", []query.UsageRecord{{
		ID: "u3", SpanID: "nowhere", Agent: "main", Provider: ptr("openai"), Mode: "add", Scope: "u3", At: when(3.5), Tokens: query.Tokens{Output: 1, Total: 1},
	}}, live.Usage)
	// 50, 500 and 100 ms: the median is 100, the longest began at 1.3 s.
	equal(t, "gaps", []query.Gaps{{
		MessageID: "m1", SpanID: "llm", Chunks: 4, StartMS: 1250, P50MS: 100, MaxMS: 500, MaxAtMS: 1300,
	}}, live.Gaps)
}

func TestTimelineOfNothing(t *testing.T) {
	db := querytest.Open(t, localtest.ClickHouse(t))
	db.Add(querytest.Recording{Session: "s", Stream: 1, Frames: []schema.Frame{{At: at(0), Raw: []byte("x")}}})
	got := must[*query.Timeline](t)(reader(db, 100).Timeline(t.Context(), querytest.Tenant, "s"))
	equal(t, "timeline", &query.Timeline{
		SessionID: "s", Status: query.Fine, Started: when(0), Ended: ptr(when(0)),
		Spans: []*query.TimelineSpan{}, Usage: []query.UsageRecord{}, Gaps: []query.Gaps{},
	}, got)
}
