package claudecode_test

import (
	"fmt"
	"testing"

	"tapedeck/ingest/dialect/claudecode"
	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

// A file that writes its earlier lines once more, thousands of lines later, has each message once.
func TestLinesFarApart(t *testing.T) {
	const turns = 1000
	var frames []schema.Frame
	for i := range 2 * turns {
		for _, line := range []string{
			`{"type":"user","sessionId":"s","isSidechain":false,"uuid":"u-%[1]d","message":{"role":"user","content":"go on"}}`,
			`{"type":"assistant","sessionId":"s","isSidechain":false,"uuid":"a-%[1]d","message":{"id":"msg_%[1]d","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"went on"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":2}}}`,
		} {
			n := uint64(len(frames))
			frames = append(frames, schema.Frame{Seq: n, At: dialecttest.Start + int64(n)*1e6, Raw: fmt.Appendf(nil, line+"\n", i%turns)})
		}
	}
	o, err := dialecttest.Play(claudecode.Dialect, frames, frames[len(frames)-1].At, func(int) (bool, bool) { return false, false })
	if err != nil {
		t.Fatal(err)
	}
	runs, repeats := 0, 0
	for _, s := range o.Facts.Spans {
		if s.Kind == schema.SpanRun {
			runs++
		}
	}
	for _, f := range o.Frames {
		if f.Flags.Has(schema.FlagEventRepeat) {
			repeats++
		}
	}
	if len(o.Facts.Messages) != 2*turns || len(o.Facts.Usages) != turns || runs != turns || repeats != 2*turns {
		t.Errorf("%d messages, %d usages, %d runs, %d repeats; want %d, %d, %d, %d",
			len(o.Facts.Messages), len(o.Facts.Usages), runs, repeats, 2*turns, turns, turns, 2*turns)
	}
}
