package gemini_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"testing"

	"tapedeck/ingest/capturetest"
	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/ingest/dialect/gemini"
)

func TestCaptures(t *testing.T) { capturetest.Run(t, gemini.Dialect, "testdata/captures") }

// The usage of the last chunk of a response counts. Its parts, with thoughts separate from the
// rest of the output, sum up to the total that the API states.
func TestGeminiTotalsAddUp(t *testing.T) {
	const name = "gemini_api/google-text.chunks.txt"
	var last struct {
		UsageMetadata struct{ PromptTokenCount, CandidatesTokenCount, ThoughtsTokenCount, TotalTokenCount uint64 }
	}
	chunks := 0
	lines := bufio.NewScanner(bytes.NewReader(dialecttest.Fixture(t, name)))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if err := json.Unmarshal(lines.Bytes(), &last); err != nil {
			t.Fatal(err)
		}
		chunks++
	}
	want := last.UsageMetadata
	if chunks != 3 || want.TotalTokenCount != 217 ||
		want.PromptTokenCount+want.CandidatesTokenCount+want.ThoughtsTokenCount != want.TotalTokenCount {
		t.Fatalf("the capture is not what this test is about: %d chunks, %+v", chunks, want)
	}
	frames := capturetest.Cut(t, name, "ndjson")
	o, err := dialecttest.Play(gemini.Dialect, frames, frames[len(frames)-1].At, func(int) (bool, bool) { return true, true })
	if err != nil {
		t.Fatal(err)
	}
	if len(o.Facts.Usages) != 1 {
		t.Fatalf("%d usages, want the one of the response: %+v", len(o.Facts.Usages), o.Facts.Usages)
	}
	u := o.Facts.Usages[0]
	if u.Tokens.Input != want.PromptTokenCount || u.Tokens.Output != want.CandidatesTokenCount ||
		u.Tokens.Reasoning != want.ThoughtsTokenCount || u.Total != want.TotalTokenCount || u.Tokens.Sum() != u.Total {
		t.Errorf("%+v with total %d, want %+v", u.Tokens, u.Total, want)
	}
}
