package opencode

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestCases(t *testing.T) { dialecttest.Run(t, Dialect, "testdata/cases") }

func FuzzDecode(f *testing.F) { dialecttest.Fuzz(f, Dialect, "testdata/cases") }

// rounds repeats a case with different ids. Its lines are of one session.
func rounds(t testing.TB, name string, n int) []schema.Frame {
	var frames []schema.Frame
	for i := range n {
		for _, f := range dialecttest.Case(t, "testdata/cases/"+name+".txtar") {
			for _, kind := range []string{"prt_", "msg_", "call_", "ses_"} {
				if kind == "ses_" && name == "lines" {
					break
				}
				f.Raw = bytes.ReplaceAll(f.Raw, []byte(kind), fmt.Appendf(nil, "%s%06d_", kind, i))
			}
			frames = append(frames, f)
		}
	}
	return frames
}

func BenchmarkLines(b *testing.B)  { dialecttest.Bench(b, Dialect, rounds(b, "lines", 2000)) }
func BenchmarkEvents(b *testing.B) { dialecttest.Bench(b, Dialect, rounds(b, "events", 2000)) }

func TestIdle(t *testing.T) {
	for _, name := range []string{"lines", "events", "global"} {
		frames := rounds(t, name, 100)
		dialecttest.Idle(t, Dialect, frames, 1)
		runtime.KeepAlive(frames)
	}
}

// BenchmarkDeltas decodes the small frames of a streamed text.
func BenchmarkDeltas(b *testing.B) {
	var lines []string
	for i := range 200 {
		part := `{"type":"message.part.updated","properties":{"part":{"id":"prt_%d","messageID":"msg_1","sessionID":"ses_1","type":"text","text":%q,"time":%s}}}`
		lines = append(lines, fmt.Sprintf(part, i, "", `{"start":1}`))
		for range 100 {
			lines = append(lines, fmt.Sprintf(`{"type":"message.part.delta","properties":{"sessionID":"ses_1","messageID":"msg_1","partID":"prt_%d","field":"text","delta":" word"}}`, i))
		}
		lines = append(lines, fmt.Sprintf(part, i, strings.Repeat(" word", 100), `{"start":1,"end":2}`))
	}
	dialecttest.Bench(b, Dialect, framesOf(schema.SSE, lines...))
}
