package bench

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata/*.md anew")

// Whether a bar is reached follows from the figures.
func TestBarsAreComputed(t *testing.T) {
	passes := func(rate float64) Passes {
		return Passes{{Frames: uint64(rate), Bytes: uint64(rate), Took: time.Second}}
	}
	e2e := func(rate float64) *EndToEnd { return &EndToEnd{Passes: []RecordPass{{Pass: passes(rate)[0]}}} }
	at := func(d time.Duration) Percentiles { return Percentiles{Count: 1, P50: d, P99: d} }
	tail := func(d time.Duration) []DelayAt { return []DelayAt{{Rate: 20_000, Query: at(d), Live: at(d)}} }
	disk := func(raw, seq float64) *Sink {
		return &Sink{Passes: passes(25), Alone: passes(100), Columns: []SizeOnDisk{{"raw", raw}, {"seq", seq}}}
	}
	long := func(seconds time.Duration) Passes {
		return Passes{{Frames: 1e6, Bytes: 1, Took: seconds * time.Second}}
	}
	// Seconds until stored; ClickHouse's CPU time and that of the plain insert are multiples of one.
	byBytes := func(name string, frames, bytes uint64, seconds, cpu time.Duration) *EndToEnd {
		return &EndToEnd{Name: name, Passes: []RecordPass{{
			Pass:       Pass{Frames: frames, Bytes: bytes, Took: seconds * time.Second, CPU: cpu * time.Second},
			ClickHouse: (cpu - 1) * time.Second, Merges: time.Second,
			Plain: &Plain{Frames: Pass{CPU: time.Second}, Texts: Pass{CPU: time.Second}, Merges: 0},
		}}}
	}
	// Requests of spans, and the time until they are durable: 102,400 spans.
	exported := func(durable time.Duration) *EndToEnd {
		return &EndToEnd{Name: otlpSpans, Passes: []RecordPass{{Pass: Pass{Frames: spanRequests, Bytes: 1, Took: time.Hour}, Durable: durable}}}
	}
	// Seconds of a processor in periods of 100 s with and without the rules, and of the server that evaluates them.
	watched := func(sessions int, delay time.Duration, with, without, server time.Duration) *Alerts {
		return &Alerts{
			Sessions: sessions, Took: 100 * time.Second, With: with * time.Second, Without: without * time.Second, Rules: server * time.Second,
			Delay: Percentiles{Count: 1, Max: delay}, Known: true,
		}
	}
	for _, c := range []struct {
		name    string
		results Results
		want    string // verdicts of the bars that were measured: + reached, - not reached
	}{
		{"slow", Results{EndToEnd: e2e(199_999)}, "--"},
		{"as fast as it must be", Results{EndToEnd: e2e(200_000)}, "+-"},
		{"as fast as it should be", Results{EndToEnd: e2e(350_000)}, "++"},
		{"nothing", Results{}, ""},
		{"texts, the worse counts", Results{Bytes: []*EndToEnd{byBytes(shortTexts, 11_000, 400e6, 5, 4), byBytes(longTexts, 11_000, 400e6, 10, 8)}}, "+-+-"},
		{"texts, slow", Results{Bytes: []*EndToEnd{byBytes(shortTexts, 11_000, 400e6, 11, 9), byBytes(longTexts, 11_000, 400e6, 1, 2)}}, "----"},
		{"texts, few or one of the workloads", Results{Bytes: []*EndToEnd{byBytes(shortTexts, 11_000, 1, 1, 2), byBytes(longTexts, 10_999, 1, 1, 2)}}, ""},
		{"home", Results{Bytes: []*EndToEnd{byBytes(agentHome, 1, 300e6, 3, 3)}}, "++++"},
		{"home, slow", Results{Bytes: []*EndToEnd{byBytes(agentHome, 1, 300e6, 8, 8)}}, "----"},
		{"home, small", Results{Bytes: []*EndToEnd{byBytes(agentHome, 1, 299e6, 1, 2)}}, ""},
		{"spans", Results{Bytes: []*EndToEnd{exported(512 * time.Second / 100)}}, "+-"},
		{"spans, slow", Results{Bytes: []*EndToEnd{exported(513 * time.Second / 100)}}, "--"},
		{"redaction", Results{Redaction: []RedactionOf{{With: e2e(90), Without: e2e(100)}, {With: e2e(89), Without: e2e(100)}}}, "+-"},
		{"publish", Results{Publish: &Publish{File: passes(50), Raw: passes(100)}}, "+"},
		{"publish, slow", Results{Publish: &Publish{File: passes(49), Raw: passes(100)}}, "-"},
		{"sink, disk", Results{Sink: disk(11, 4)}, "++"},
		{"sink, slow", Results{Sink: &Sink{Passes: passes(24), Alone: passes(100)}}, "-"},
		{"disk, much", Results{Sink: disk(11, 4.1)}, "+-"},
		{"delay", Results{Delay: tail(25 * time.Millisecond)}, "++"},
		{"delay, late", Results{Delay: tail(26 * time.Millisecond)}, "-+"},
		{"proxy, the worse counts", Results{Proxy: &Proxy{Chunks: []ChunkDelay{{Direct: at(1e5), Proxy: at(2e5)}, {Direct: at(1e5), Proxy: at(4e5)}}}}, "-+"},
		{"streams", Results{Streams: &Streams{
			Idle: IdleStreams{Streams: 10_000, AtRest: 400e6, Known: true}, Busy: BusyStreams{Streams: 1000, Sent: 10, Stored: 10},
		}}, "++"},
		{"streams, bad", Results{Streams: &Streams{
			Idle: IdleStreams{Streams: 10_000, AtRest: 401e6, Known: true}, Busy: BusyStreams{Streams: 1000, Sent: 10, Stored: 9},
		}}, "--"},
		{"streams, too few", Results{Streams: &Streams{
			Idle: IdleStreams{Streams: 9_999, AtRest: 1, Known: true}, Busy: BusyStreams{Streams: 999, Sent: 10, Stored: 10},
		}}, ""},
		{"alerts", Results{Alerts: watched(1000, 900*time.Millisecond, 10, 9, 0)}, "++++"},
		{"alerts, late", Results{Alerts: watched(1000, 3*time.Second, 10, 9, 0)}, "+-++"},
		{"alerts, later", Results{Alerts: watched(1000, 3001*time.Millisecond, 10, 9, 0)}, "--++"},
		{"alerts, dear", Results{Alerts: watched(1000, time.Second, 14, 10, 0)}, "+++-"},
		{"alerts, dearer", Results{Alerts: watched(1000, time.Second, 21, 10, 0)}, "++--"},
		{"alerts, the server alone is dear", Results{Alerts: watched(1000, time.Second, 10, 11, 11)}, "++--"},
		{"alerts, few sessions", Results{Alerts: watched(999, time.Second, 10, 9, 0)}, ""},
		{"playing", Results{Playing: &Playing{
			Alone: at(2e6), Many: Crowd{Sessions: 1000, Late: at(5e6), Highest: 1000 * 100 << 10, Known: true}, Event: passes(2e5), Raw: passes(9e5),
		}}, "+-+++-"},
		{"playing, the slower mode counts", Results{Playing: &Playing{Event: long(2), Raw: long(6)}}, "--"},
		{"openings", Results{Openings: &Openings{Stored: 1e7, Long: 1e6, Open: at(3e7), AtFrame: at(3.1e7), AtTime: at(1), Seek: at(5e7)}}, "+-+"},
		{"openings, few frames", Results{Openings: &Openings{Stored: 1e6, Long: 1e5, Open: at(1), Seek: at(1)}}, ""},
		{"drift, ahead", Results{Drift: driftOf(10*time.Minute, []time.Duration{3e6, 0, 0, 0, 0, 0, 0, 0, 0, 0})}, "-"},
		{"drift, short", Results{Drift: driftOf(time.Minute, make([]time.Duration, 10))}, ""},
		{"peer", Results{Peer: &Peer{Ours: passes(100_000), Frames: 8_000, Publish: time.Second, Store: time.Second}}, "+"},
		{"peer, fast", Results{Peer: &Peer{Ours: passes(100_000), Frames: 8_002, Publish: time.Second, Store: time.Second}}, "-"},
		{"peer, none", Results{Peer: &Peer{Notice: "there is none"}}, ""},
	} {
		got, bars := "", c.results.bars()
		for _, b := range bars {
			got += map[string]string{"reached": "+", "not reached": "-"}[b.Verdict()]
		}
		if got != c.want || len(bars) != 40 {
			t.Errorf("%s: %q of %d bars, want %q of 40", c.name, got, len(bars), c.want)
		}
	}
}

// The page of a run without parts says so of each, and lists every bar.
func TestReportOfNothing(t *testing.T) {
	r := &Report{Environment: Environment{Kind: "benchmarks"}, Frames: 1, Bytes: 1}
	r.Bars = r.Results.bars()
	page := rendered(t, r)
	if n := strings.Count(page, "Not measured in this run"); n != len(Names()) {
		t.Errorf("%d of %d parts are said to be missing", n, len(Names()))
	}
	if n := strings.Count(page, "| not measured |"); n != 40 || strings.Contains(page, "reached |") {
		t.Errorf("%d bars are said to be open:\n%s", n, page)
	}
}

func rendered(t *testing.T, report any) string {
	t.Helper()
	text, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := Render(&page, text); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

// The pages of kept results are testdata/*.md; -update writes them.
func TestRender(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) != 4 {
		t.Fatalf("%d files of results: %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var page bytes.Buffer
		if err := Render(&page, text); err != nil {
			t.Fatal(err)
		}
		golden := strings.TrimSuffix(file, ".json") + ".md"
		if *update {
			if err := os.WriteFile(golden, page.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if diff := cmp.Diff(string(want), page.String()); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", file, err, diff)
		}
	}
	for text, want := range map[string]string{"{": "read the report", `{"kind":"other"}`: `kind "other"`} {
		if err := Render(&bytes.Buffer{}, []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
