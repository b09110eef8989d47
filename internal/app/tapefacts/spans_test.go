package tapefacts_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/internal/app/tapefacts"
	"tapedeck/internal/app/tapefacts/tapefactstest"
	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/facts/spanmerge"
)

func TestEndOf(t *testing.T) {
	s := &tapefacts.Session{Row: &sessionstreams.Row{Last: 100}}
	for _, tc := range []struct {
		name string
		span spanmerge.Span
		want int64
	}{
		{"ended", spanmerge.Span{Status: "ok", Started: 10, Ended: 30}, 30},
		{"ended before it started", spanmerge.Span{Status: "ok", Started: 30, Ended: 10}, 30},
		{"only the end and a duration", spanmerge.Span{Status: "ok", Ended: 30, Reported: 7}, 30},
		{"only a start and a duration", spanmerge.Span{Status: "ok", Started: 10, Reported: 7}, 17},
		{"only the end", spanmerge.Span{Status: "rejected", SeenAt: 25, Ended: 30}, 30},
		{"neither", spanmerge.Span{Status: "ok", SeenAt: 25}, 25},
		{"open: the end of the recording", spanmerge.Span{Status: "open", Started: 10}, 100},
		{"unclosed: the end of its run", spanmerge.Span{Status: "unclosed", Started: 10, Closed: 60}, 60},
		{"unclosed after the recording", spanmerge.Span{Status: "unclosed", Started: 120}, 120},
	} {
		if got := s.EndOf(&tc.span); got != tc.want {
			t.Errorf("%s: %d, want %d", tc.name, got, tc.want)
		}
	}
}

// A record of a span that is not recorded belongs to its run.
func TestUsageOfSpans(t *testing.T) {
	got := map[string][]string{}
	for span, records := range tapefactstest.Session(t).UsageOfSpans() {
		for _, r := range records {
			got[span] = append(got[span], r.ID)
		}
	}
	if d := cmp.Diff(map[string][]string{"l1": {"u1"}, "run": {"u2"}}, got); d != "" {
		t.Errorf("- want, + got:\n%s", d)
	}
}
