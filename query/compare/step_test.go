package compare

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
	"tapedeck/query/compare/normalise"
	"tapedeck/query/facts/spanmerge"
	"tapedeck/schema"
)

// The messages of a step are joined once, however many there are.
func TestManyMessagesOfAStep(t *testing.T) {
	const count = 5000
	f := &facts{spans: []spanmerge.Span{{ID: "call", Kind: string(schema.SpanLLM)}}}
	var want []string
	for n := range count {
		text := fmt.Sprint(n, strings.Repeat(" x", 400))
		want = append(want, text)
		f.messages = append(f.messages, messageRow{ID: fmt.Sprint(n), Span: "call", Kind: string(schema.MessageThinking), Head: text, Digest: "d"})
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	steps := build(f, DefaultSteps).all
	runtime.ReadMemStats(&after)
	if len(steps) != 1 || steps[0].thinking.text != strings.Join(want, "\n") || steps[0].thinking.digest != strings.Repeat("d", count) {
		t.Errorf("%d steps: the texts are not joined", len(steps))
	}
	if made := after.TotalAlloc - before.TotalAlloc; made > 64<<20 {
		t.Errorf("%d bytes were allocated for texts of %d", made, len(strings.Join(want, "\n")))
	}
}

// Of long texts the beginnings are compared word by word, and the detail says so.
func TestLongDetail(t *testing.T) {
	fulltest.Long(t)
	long := strings.Repeat("word ", wordsBytes)
	d := compareContent(FieldText, &content{text: long + "a", norm: "a"}, &content{text: "b " + long, norm: "b"}, &normalise.Normaliser{}, normalise.Result)
	bytes := 0
	for _, p := range d.Words {
		bytes += len(p.Text)
	}
	if !d.Cut || bytes == 0 || bytes > 2*wordsBytes+10 {
		t.Errorf("cut: %v, %d bytes compared", d.Cut, bytes)
	}
}
