package spanmerge

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/query/facts/sessionstreams"
)

func TestMergeSpans(t *testing.T) {
	for _, tc := range []struct {
		name  string
		views []Span
		want  Span
	}{
		{
			"one view",
			[]Span{{ID: "s", Stream: "a", Status: "ok", Started: 10, Ended: 20}},
			Span{ID: "s", Stream: "a", Status: "ok", Started: 10, Ended: 20},
		},
		{
			"one stream saw the start, the other the end",
			[]Span{
				{ID: "s", Stream: "a", SeenAt: 10, Status: "open", Name: "search", Parent: "p", Call: "c", Started: 10, Version: 900},
				{ID: "s", Stream: "b", SeenAt: 30, Status: "error", Ended: 30, Error: "boom", Version: 2},
			},
			Span{ID: "s", Stream: "a", SeenAt: 10, Status: "error", Name: "search", Parent: "p", Call: "c", Started: 10, Ended: 30, Error: "boom", Version: 2},
		},
		{
			"a real end stands over a stream that was cut off later",
			[]Span{
				{ID: "s", Stream: "a", SeenAt: 10, Status: "unclosed", Started: 10, Ended: 99, Version: 900},
				{ID: "s", Stream: "b", SeenAt: 30, Status: "ok", Ended: 30, Version: 2},
			},
			Span{ID: "s", Stream: "a", SeenAt: 10, Status: "ok", Started: 10, Ended: 30, Version: 2},
		},
		{
			"cut off stands over open",
			[]Span{
				{ID: "s", Stream: "a", SeenAt: 10, Status: "open", Started: 10, Version: 5},
				{ID: "s", Stream: "b", SeenAt: 11, Status: "unclosed", Started: 11, Ended: 40, Version: 1},
			},
			Span{ID: "s", Stream: "a", SeenAt: 10, Status: "unclosed", Started: 10, Ended: 40, Version: 1},
		},
		{
			"opened again: the later end counts, and what went wrong before does not",
			[]Span{
				{ID: "s", Stream: "a", SeenAt: 10, SeenSeq: 1, Status: "error", Error: "first try", Started: 10, Ended: 20, Version: 5},
				{ID: "s", Stream: "a", SeenAt: 25, SeenSeq: 6, Status: "ok", Started: 25, Ended: 50, Version: 9},
			},
			Span{ID: "s", Stream: "a", SeenAt: 10, SeenSeq: 1, Status: "ok", Started: 10, Ended: 50, Version: 9},
		},
		{
			"a tool's result repeated by a later request",
			[]Span{
				{ID: "s", Stream: "a", SeenAt: 10, Kind: "tool", Status: "open", Started: 10, Name: "bash", Version: 900},
				{ID: "s", Stream: "b", SeenAt: 30, Kind: "tool", Status: "ok", Ended: 30, Version: 2},
				{ID: "s", Stream: "c", SeenAt: 70, Kind: "tool", Status: "error", Ended: 70, Error: "retried", Version: 3},
			},
			Span{ID: "s", Stream: "a", SeenAt: 10, Kind: "tool", Status: "ok", Started: 10, Ended: 30, Name: "bash", Version: 2},
		},
		{
			"a tool's real end stands over a stream cut off before it",
			[]Span{
				{ID: "s", Stream: "a", SeenAt: 10, Kind: "tool", Status: "unclosed", Started: 10, Ended: 20, Version: 900},
				{ID: "s", Stream: "b", SeenAt: 30, Kind: "tool", Status: "ok", Ended: 30, Version: 2},
			},
			Span{ID: "s", Stream: "a", SeenAt: 10, Kind: "tool", Status: "ok", Started: 10, Ended: 30, Version: 2},
		},
		{
			"tools cut off: the later end",
			[]Span{
				{ID: "s", Stream: "a", SeenAt: 10, Kind: "tool", Status: "unclosed", Started: 10, Ended: 20, Version: 900},
				{ID: "s", Stream: "b", SeenAt: 11, Kind: "tool", Status: "unclosed", Started: 11, Ended: 40, Version: 1},
			},
			Span{ID: "s", Stream: "a", SeenAt: 10, Kind: "tool", Status: "unclosed", Started: 10, Ended: 40, Version: 1},
		},
		{
			"a tool's end without a time is none",
			[]Span{
				{ID: "s", Stream: "a", SeenAt: 10, Kind: "tool", Status: "ok", Started: 10, Version: 900},
				{ID: "s", Stream: "b", SeenAt: 30, Kind: "tool", Status: "error", Ended: 30, Error: "boom", Version: 2},
			},
			Span{ID: "s", Stream: "a", SeenAt: 10, Kind: "tool", Status: "error", Started: 10, Ended: 30, Error: "boom", Version: 2},
		},
		{
			"all open: the higher version, the earliest start and first token",
			[]Span{
				{ID: "s", Stream: "a", SeenAt: 10, Status: "waiting", Started: 12, FirstToken: 30, Version: 7, Model: "m"},
				{ID: "s", Stream: "b", SeenAt: 10, Status: "open", Started: 11, FirstToken: 20, Version: 3, Model: "n", Agent: "x", Attributes: "{}", Reported: 4},
			},
			Span{ID: "s", Stream: "a", SeenAt: 10, Status: "waiting", Started: 11, FirstToken: 20, Version: 7, Model: "m", Agent: "x", Attributes: "{}", Reported: 4},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for range 5 { // the order of the rows must not matter
				views := append([]Span(nil), tc.views...)
				rand.Shuffle(len(views), func(i, j int) { views[i], views[j] = views[j], views[i] })
				got := Merge(views)
				if len(got) != 1 {
					t.Fatalf("%d spans, want 1", len(got))
				}
				if d := cmp.Diff(tc.want, got[0]); d != "" {
					t.Fatal(d)
				}
			}
		})
	}
}

func TestMergeSpansKeepsOrder(t *testing.T) {
	got := Merge([]Span{
		{ID: "late", Started: 30},
		{ID: "end only", SeenAt: 40, Ended: 40, Reported: 39, Status: "ok"}, // began at 1
		{ID: "seen", SeenAt: 20},
		{ID: "early", Started: 10},
	})
	var ids []string
	for _, s := range got {
		ids = append(ids, s.ID)
	}
	if d := cmp.Diff([]string{"end only", "early", "seen", "late"}, ids); d != "" {
		t.Error(d)
	}
}

func TestSpanDuration(t *testing.T) {
	for _, tc := range []struct {
		name string
		span Span
		want int64
		ok   bool
	}{
		{"open", Span{Status: "open", Started: 10}, 0, false},
		{"waiting", Span{Status: "waiting", Started: 10}, 0, false},
		{"cut short", Span{Status: "unclosed", Started: 10, Ended: 30}, 0, false},
		{"ended", Span{Status: "ok", Started: 10, Ended: 30}, 20, true},
		{"the source's own does not stand in for what was seen", Span{Status: "ok", Started: 10, Ended: 30, Reported: 7}, 20, true},
		{"only the end was seen", Span{Status: "ok", Ended: 30, Reported: 7}, 7, true},
		{"neither", Span{Status: "rejected", Ended: 30}, 0, false},
	} {
		if got, ok := tc.span.Duration(); got != tc.want || ok != tc.ok {
			t.Errorf("%s: %d %v, want %d %v", tc.name, got, ok, tc.want, tc.ok)
		}
	}
}

// A span below a call of a tool is one also if another request brought the call, whose fact has the id of the call.
func TestParentsByTrace(t *testing.T) {
	views := func() []Span {
		return []Span{
			{ID: "otel:t1:c", Stream: "first", Kind: "llm", Status: "ok", Parent: "otel:t1:b", Started: 20, Ended: 30},
			{ID: "otel:t1:d", Stream: "first", Kind: "llm", Status: "ok", Parent: "otel:t1:x", Started: 25, Ended: 30},
			{ID: "tool:call_1", Stream: "second", Kind: "tool", Status: "ok", Parent: "otel:t1:a", Started: 10, Ended: 40,
				Attributes: `{"otel_span":"execute_tool","trace_id":"t1","span_id":"b"}`},
			{ID: "tool:call_2", Stream: "second", Kind: "tool", Status: "ok", Started: 12, Ended: 40, Attributes: `{"trace_id":"t2","span_id":"b"}`},
			{ID: "otel:t1:a", Stream: "third", Kind: "run", Status: "ok", Started: 5, Ended: 50},
		}
	}
	want := map[string]string{"otel:t1:c": "tool:call_1", "otel:t1:d": "otel:t1:x", "tool:call_1": "otel:t1:a", "tool:call_2": "", "otel:t1:a": ""}
	for _, s := range mergeSession(&sessionstreams.Row{}, views()) {
		if s.Parent != want[s.ID] {
			t.Errorf("%s is below %q, want %q", s.ID, s.Parent, want[s.ID])
		}
	}
}
