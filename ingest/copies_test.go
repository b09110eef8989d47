package ingest_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/ingesttest"
	"tapedeck/internal/fulltest"
	"tapedeck/schema"
)

// Lines that a file writes once more have no say about the times of others. Each expected element is
// the second at which the frame arrived.
func TestCopiesInFrameClock(t *testing.T) {
	stamp := func(second float64) string {
		return clockStart.Add(time.Duration(second * float64(time.Second))).Format("2006-01-02T15:04:05.000Z")
	}
	claude := func(uuid, message string, second float64, more string) string {
		return fmt.Sprintf(`{"type":"assistant","sessionId":"s","uuid":%q,"timestamp":%q,%s"message":{"id":%q,"role":"assistant","content":[{"type":"text","text":"x"}]}}`,
			uuid, stamp(second), more, message)
	}
	const day = 86400
	first := []string{claude("u1", "m1", 1, ""), claude("u2", "m2", 2, ""), claude("u3", "m3", 3, ""), claude("u4", "m4", 4, "")}
	later := []string{claude("u5", "m5", 2*day, ""), claude("u6", "m6", 2*day+5, "")}
	join := slices.Concat[[]string]
	each := func(format func(i int) string) (lines []string) {
		for i := 1; i <= 4; i++ {
			lines = append(lines, format(i))
		}
		return lines
	}
	gemini := func(id string, second float64, text string) string {
		return fmt.Sprintf(`{"id":%q,"timestamp":%q,"type":"gemini","content":%q}`, id, stamp(second), text)
	}
	const after = "172800 172805"
	for _, tc := range []struct {
		name, dialect string
		lines         []string
		want          string
		misdated      uint64
		copied        uint64
	}{
		{"written once more", "claude-code", join(first, later, first), "1 2 3 4 " + after + strings.Repeat(" 172805", 4), 0, 4},
		{"twice more", "claude-code", join(first, later, first, []string{claude("u7", "m7", 3*day, "")}, first, later),
			"1 2 3 4 " + after + strings.Repeat(" 172805", 4) + strings.Repeat(" 259200", 7), 0, 10},
		{"with other uuids", "claude-code", join(first, later, each(func(i int) string {
			return claude(fmt.Sprint("n", i), fmt.Sprint("m", i), float64(i), "")
		})), "1 2 3 4 " + after + strings.Repeat(" 172805", 4), 0, 4},
		{"of a branch, whose originals are elsewhere", "claude-code", join(later, each(func(i int) string {
			return claude(fmt.Sprint("n", i), fmt.Sprint("k", i), float64(i), `"forkedFrom":{"sessionId":"z","messageUuid":"x"},`)
		})), after + strings.Repeat(" 172805", 4), 0, 4},
		{"at the beginning, of another file", "claude-code", join(each(func(i int) string {
			return claude(fmt.Sprint("n", i), fmt.Sprint("k", i), float64(i), `"forkedFrom":{"sessionId":"z","messageUuid":"x"},`)
		}), later), "1 2 3 4 " + after, 0, 0},
		{"with other ids, to the millisecond", "claude-code", join(
			each(func(i int) string { return claude(fmt.Sprint("a", i), fmt.Sprint("a", i), float64(i)+.125, "") }), later,
			each(func(i int) string { return claude(fmt.Sprint("b", i), fmt.Sprint("b", i), float64(i)+.125, "") }),
		), "1 2 3 4 " + after + strings.Repeat(" 172805", 4), 0, 4},
		{"without ids", "codex-rollout", join(
			[]string{`{"timestamp":"` + stamp(0) + `","type":"session_meta","payload":{"id":"s","timestamp":"` + stamp(0) + `"}}`},
			each(func(i int) string {
				return fmt.Sprintf(`{"timestamp":%q,"type":"event_msg","payload":{"type":"agent_message","message":"x"}}`, stamp(float64(i)))
			}),
			[]string{fmt.Sprintf(`{"timestamp":%q,"type":"event_msg","payload":{"type":"agent_message","message":"later"}}`, stamp(2*day))},
			each(func(i int) string {
				return fmt.Sprintf(`{"timestamp":%q,"type":"event_msg","payload":{"type":"agent_message","message":"x"}}`, stamp(float64(i)))
			})), "0 1 2 3 4 172800" + strings.Repeat(" 172800", 4), 0, 4},
		{"messages that change", "gemini-cli-chat", []string{
			`{"sessionId":"s","projectHash":"p","startTime":"` + stamp(0) + `"}`, gemini("g1", 1, "a"), gemini("g2", 2, "b"),
			gemini("g3", 2*day, "c"), gemini("g1", 1, "a and more"), gemini("g2", 2, "b and more"),
		}, "0 1 2 172800 172800 172800", 0, 2},
		{"a line ahead before copies and others", "claude-code", join(first, []string{claude("u9", "m9", 9*day, "")}, first[:2], later),
			"1 2 3 4 4 4 4 " + after, 1, 2},
		{"a line ahead among copies", "claude-code", join(
			[]string{claude("n1", "k1", 9*day, `"forkedFrom":{"sessionId":"z"},`)},
			each(func(i int) string {
				return claude(fmt.Sprint("n", i+1), fmt.Sprint("k", i+1), float64(i), `"forkedFrom":{"sessionId":"z"},`)
			})), "1 1 2 3 4", 0, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, sum := clockSeconds(t, tc.dialect, tc.lines)
			if want := strings.Fields(tc.want); !slices.Equal(got, want) || sum.Misdated != tc.misdated || sum.CopiedTimes != tc.copied {
				t.Errorf("%d misdated, %d copied, want %d and %d; frames\n%v, want\n%v",
					sum.Misdated, sum.CopiedTimes, tc.misdated, tc.copied, got, want)
			}
		})
	}
}

// clockSeconds records lines by their times, and returns for each the second of clockStart at which
// it arrived.
func clockSeconds(t *testing.T, dialect string, lines []string) ([]string, ingest.Summary) {
	t.Helper()
	var memory ingesttest.Memory
	s, err := ingest.NewRecorder(&memory, ingest.Settings{}).Open(ingest.StreamOptions{FrameClock: true, Dialect: dialect})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		f := schema.Frame{At: ingest.Now(), Raw: []byte(line + "\n")}
		if err := s.Record(t.Context(), &f); err != nil {
			t.Fatal(err)
		}
	}
	sum, err := s.Close(t.Context(), "eof")
	if err != nil {
		t.Fatal(err)
	}
	got := make([]string, sum.Frames)
	for _, b := range memory.Blocks() {
		for i := range b.Frames {
			got[b.Frames[i].Seq] = fmt.Sprint((b.Frames[i].At - clockStart.UnixNano()) / 1e9)
		}
	}
	return got, sum
}

// A file that writes its first two turns once more at its end keeps the third on its own day.
func TestRewrittenHistory(t *testing.T) {
	const fixture = "../../shared/fixtures/third_round/claude_rewritten_history.jsonl"
	text, err := os.ReadFile(fixture)
	if err != nil {
		fulltest.Missing(t, "no capture", fixture)
	}
	got, _ := clockSeconds(t, "claude-code", strings.Split(strings.TrimSpace(string(text)), "\n"))
	day := func(second string) string {
		var n int64
		_, _ = fmt.Sscan(second, &n)
		return clockStart.Add(time.Duration(n) * time.Second).Format(time.DateOnly)
	}
	for i, second := range got {
		want := "2026-06-01"
		if i >= 4 {
			want = "2026-06-03"
		}
		if day(second) != want {
			t.Errorf("line %d is of %s, want %s", i, day(second), want)
		}
	}
}
