package printers

import (
	"strings"
	"testing"

	"tapedeck/query/facts/sessionstreams"
	"tapedeck/query/facts/usagerecord"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/query/session/timeline"
	"tapedeck/query/session/transcript"
)

// A session with frames and without facts has a hint at the command that derives the facts.
func TestSessionWithoutFacts(t *testing.T) {
	for dialect, hint := range map[string]bool{"loom": true, "generic": false} {
		var d sessiondetail.Detail
		d.ID, d.Frames = "cut", 7
		d.Streams = append(d.Streams, sessionstreams.Stream{})
		d.Streams[0].Dialect = dialect
		for _, messages := range [][]transcript.Message{nil, {{}}} {
			var out strings.Builder
			if err := Session(&out, &d, &timeline.Timeline{}, messages, false); err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(out.String(), `"tapedeck redecode cut"`); got != (hint && messages == nil) {
				t.Errorf("%s, %d messages: %s", dialect, len(messages), out.String())
			}
		}
	}
}

// A session of spans has facts, without a run and without messages. What its sums leave out is said.
func TestSessionOfSpans(t *testing.T) {
	var d sessiondetail.Detail
	d.ID, d.Frames = "spans", 1
	d.Streams = append(d.Streams, sessionstreams.Stream{})
	d.Streams[0].Dialect = "otlp"
	usage := []usagerecord.Record{{Duplicate: true}, {}}
	tl := &timeline.Timeline{Usage: usage[:1], Spans: []*timeline.Span{{Children: []*timeline.Span{{Usage: usage}}}}}
	var out strings.Builder
	if err := Session(&out, &d, tl, nil, false); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.Contains(got, "redecode") || !strings.Contains(got, "leave out 2 calls") {
		t.Error(got)
	}
}
