package dialects_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

// contradictory are hand-made streams whose parts state more tokens than their end.
var contradictory = []string{"claude_code/two_sessions_one_file.jsonl"}

// A captured stream that is cut off anywhere is recorded to the byte, counts no more than the
// whole, and leaves nothing open.
func TestFixturesCutOff(t *testing.T) {
	for _, name := range dialecttest.Fixtures(t) {
		t.Run(name, func(t *testing.T) {
			data := dialecttest.Fixture(t, name)
			whole := recordBytes(t, data).total().Sum()
			for n := 1; n < 12; n++ {
				part := data[:len(data)*n/12]
				got := recordBytes(t, part)
				if !bytes.Equal(got.raw, part) {
					t.Errorf("cut at %d: the bytes differ", len(part))
				}
				if sum := got.total().Sum(); sum > whole && !slices.Contains(contradictory, name) {
					t.Errorf("cut at %d: %d tokens, the whole has %d", len(part), sum, whole)
				}
				for _, s := range got.spans {
					if s.Status == schema.StatusOpen {
						t.Errorf("cut at %d: %s %s is open after the end of the stream", len(part), s.Kind, s.ID)
					}
				}
			}
		})
	}
}

// lastAnswers has the streams whose last ten events include the unnamed start of an answer, with
// the number of events from there on: the same start may be of another answer.
var lastAnswers = map[string]int{
	"anthropic_agent/json_envelope_scenarios.sse":           9,
	"anthropic_messages/duplicate-message-start.chunks.txt": 6,
	"codex_exec/codex_v0142_failure.jsonl":                  3,
	"pi/takopi_pi_print_mode_events.jsonl":                  10,
	// Its run begins with an event, and the answer before it may begin in the same way.
	"third_round/codex_usage_records.jsonl":                8,
	"third_round/anthropic_unknown_event_with_message.sse": 5,
}

// isWhole reports whether a capture is one whole answer, which is another one when it comes again.
func isWhole(all []event) bool { return len(all) == 1 }

// undecided has the streams whose events name neither themselves nor their answer, and where any
// event may begin an answer. Repeats are read and marked.
var undecided = []string{"anthropic_agent/json_envelope_scenarios.sse"}

// The end of a stream that is delivered twice adds no run, text or token. Where it has the start
// of an answer it adds no tokens.
func TestFixturesTailTwice(t *testing.T) {
	for _, name := range dialecttest.Fixtures(t) {
		if slices.Contains(bound, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			all := events(t, name)
			write := framings["NDJSON"]
			if strings.Contains(name, ".sse") {
				write = framings["SSE with events"]
			}
			want := recordBytes(t, []byte(write(all)))
			if isWhole(all) {
				return
			}
			begins := len(all)
			if n, ok := lastAnswers[name]; ok {
				begins = n
			}
			for n := 1; n <= min(10, len(all)); n++ {
				got := recordBytes(t, []byte(write(slices.Concat(all, all[len(all)-n:]))))
				diff := cmp.Diff(want.lines(), got.lines())
				switch {
				case n >= begins && n > 1, diff == "":
				case !slices.Contains(undecided, name):
					t.Errorf("last %d events twice (-once +twice):\n%s", n, diff)
				case got.repeats == 0:
					t.Errorf("last %d events twice: no frame is marked", n)
				}
				if diff := cmp.Diff(want.tokens(), got.tokens()); diff != "" {
					t.Errorf("last %d events twice (-once +twice):\n%s", n, diff)
				}
			}
		})
	}
}

// named has the dialects in which every event names its answer.
var named = []string{"claude-code", "gemini", "openai-chat", "opencode"}

// files has the dialects of files with one session each, whose lines do not name the session.
var files = []string{"codex-rollout"}

// startless has the streams whose answer has no start of its own, so that its events are taken for
// those of another answer in progress.
var startless = []string{"third_round/anthropic_unknown_event_with_message.sse"}

// Two interleaved streams of one protocol on one connection have the same tokens as apart. Where
// events do not name their answer, a span may be reported as cut short instead.
func TestFixturesInterleaved(t *testing.T) {
	streams := map[string][]string{} // by dialect
	alone := map[string]*recording{}
	write := framings["SSE with events"]
	for _, name := range dialecttest.Fixtures(t) {
		if !slices.Contains(bound, name) {
			r := recordBytes(t, []byte(write(events(t, name))))
			alone[name] = r
			streams[r.dialects[0]] = append(streams[r.dialects[0]], name)
		}
	}
	for dialect, names := range streams {
		for i, a := range names {
			for _, b := range names[i+1:] {
				if alone[a].shares(alone[b]) || slices.Contains(files, dialect) || slices.Contains(startless, b) {
					continue
				}
				t.Run(a+" and "+b, func(t *testing.T) {
					got := recordBytes(t, []byte(write(alternating(events(t, a), events(t, b)))))
					sum, want := got.total().Sum(), alone[a].total().Sum()+alone[b].total().Sum()
					cut := strings.Contains(got.statuses(schema.SpanRun), "unclosed")
					if sum != want && (!cut || slices.Contains(named, dialect)) {
						t.Errorf("%d tokens, want %d; runs %s", sum, want, got.statuses(schema.SpanRun))
					}
				})
			}
		}
	}
}

// Two streams of one protocol, one after the other in a file, have the facts of both.
func TestFixturesOneAfterAnother(t *testing.T) {
	write := framings["SSE with events"]
	names := slices.DeleteFunc(dialecttest.Fixtures(t), func(n string) bool { return slices.Contains(bound, n) })
	alone := map[string]*recording{}
	for _, name := range names {
		alone[name] = recordBytes(t, []byte(write(events(t, name))))
	}
	for _, first := range names {
		for _, second := range names {
			a, b := alone[first], alone[second]
			if first == second || a.dialects[0] != b.dialects[0] || a.shares(b) || a.sharesTools(b) {
				continue
			}
			got := recordBytes(t, []byte(write(slices.Concat(events(t, first), events(t, second)))))
			if got.total().Sum() != a.total().Sum()+b.total().Sum() || len(got.spans) != len(a.spans)+len(b.spans) {
				t.Errorf("%s, then %s: %d tokens, %d spans; alone %d and %d, %d and %d", first, second,
					got.total().Sum(), len(got.spans), a.total().Sum(), b.total().Sum(), len(a.spans), len(b.spans))
			}
			for _, kind := range []schema.MessageKind{schema.MessageThinking, schema.MessageAssistant} {
				if diff := cmp.Diff(a.text(kind)+b.text(kind), got.text(kind)); diff != "" {
					t.Errorf("%s, then %s: %s (-alone +together):\n%s", first, second, kind, diff)
				}
			}
		}
	}
}

// sharesTools reports whether two recordings have a tool call in common.
func (r *recording) sharesTools(other *recording) bool {
	return slices.ContainsFunc(r.spans, func(s schema.Span) bool {
		return s.CallID != "" && slices.ContainsFunc(other.spans, func(o schema.Span) bool { return o.CallID == s.CallID })
	})
}

// shares reports whether two recordings have a session or run in common.
func (r *recording) shares(other *recording) bool {
	for _, s := range r.sessions {
		if slices.Contains(other.sessions, s) {
			return true
		}
	}
	for _, s := range r.spans {
		if s.Run != "" && slices.ContainsFunc(other.spans, func(o schema.Span) bool { return o.Run == s.Run }) {
			return true
		}
	}
	return false
}

// alternating returns the events of two streams in turn.
func alternating(a, b []event) []event {
	var mixed []event
	for i := range max(len(a), len(b)) {
		if i < len(a) {
			mixed = append(mixed, a[i])
		}
		if i < len(b) {
			mixed = append(mixed, b[i])
		}
	}
	return mixed
}
