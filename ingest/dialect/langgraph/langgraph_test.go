package langgraph

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"

	"go.uber.org/goleak"

	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestCases(t *testing.T) { dialecttest.Run(t, Dialect, "testdata/cases") }

func FuzzDecode(f *testing.F) { dialecttest.Fuzz(f, Dialect, "testdata/cases") }

// rounds repeats a case with different ids.
func rounds(t testing.TB, name string, n int) []schema.Frame {
	var frames []schema.Frame
	for i := range n {
		for _, f := range dialecttest.Case(t, "testdata/cases/"+name+".txtar") {
			for _, kind := range []string{`"1ef-`, "run--", "toolu_", "task-", `"tm-`, "call_"} {
				f.Raw = bytes.ReplaceAll(f.Raw, []byte(kind), fmt.Appendf(nil, "%s%06d-", kind, i))
			}
			frames = append(frames, f)
		}
	}
	return frames
}

func BenchmarkTuple(b *testing.B)   { dialecttest.Bench(b, Dialect, rounds(b, "tuple", 500)) }
func BenchmarkPartial(b *testing.B) { dialecttest.Bench(b, Dialect, rounds(b, "partial", 500)) }
func BenchmarkTasks(b *testing.B)   { dialecttest.Bench(b, Dialect, rounds(b, "tasks", 500)) }

// BenchmarkChunks decodes the small frames of a streamed text.
func BenchmarkChunks(b *testing.B) {
	lines := []string{"event: metadata\ndata: {\"run_id\":\"1ef-a\",\"attempt\":1}\n\n"}
	for i := range 100 {
		for range 200 {
			lines = append(lines, fmt.Sprintf("event: messages\ndata: [{\"content\":\" word\",\"type\":\"AIMessageChunk\",\"id\":\"run--%d\"},{\"langgraph_node\":\"agent\"}]\n\n", i))
		}
		lines = append(lines, fmt.Sprintf("event: messages\ndata: [{\"content\":\"\",\"type\":\"AIMessageChunk\",\"id\":\"run--%d\",\"chunk_position\":\"last\"},{\"langgraph_node\":\"agent\"}]\n\n", i))
	}
	dialecttest.Bench(b, Dialect, framesOf(lines...))
}

func framesOf(texts ...string) []schema.Frame {
	var frames []schema.Frame
	for i, text := range texts {
		frames = append(frames, schema.Frame{
			Seq: uint64(i), At: dialecttest.Start + int64(i+1)*1e6, Transport: schema.SSE, Raw: []byte(text),
		})
	}
	return frames
}

func TestIdle(t *testing.T) {
	for _, name := range []string{"tuple", "partial", "tasks", "newer"} {
		frames := rounds(t, name, 50)
		dialecttest.Idle(t, Dialect, frames, 1)
		runtime.KeepAlive(frames)
	}
}
