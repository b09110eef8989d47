package anthropicagent_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"tapedeck/ingest/capturetest"
	"tapedeck/ingest/dialect/anthropicagent"
	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

// The server wrote "data: ", a piece of the unescaped markup, and "\n\n". Without those the
// capture is the markup, and the texts are what is between its tags, including the newlines that
// broke the framing.
func TestBrokenLinesAreNotLost(t *testing.T) {
	const name = "anthropic_agent/legacy_xml_docx.sse.txt"
	wire := strings.TrimRight(strings.TrimPrefix(string(dialecttest.Fixture(t, name)), "data: "), "\n")
	markup := strings.ReplaceAll(wire, "\n\ndata: ", "")
	var want []string
	for _, found := range regexp.MustCompile(`(?s)<content-block-(?:text|thinking)>(.*?)</content-block-`).FindAllStringSubmatch(markup, -1) {
		want = append(want, found[1])
	}
	frames := capturetest.Cut(t, name, "")
	o, err := dialecttest.Play(anthropicagent.Dialect, frames, frames[len(frames)-1].At, func(int) (bool, bool) { return false, false })
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	lines := 0
	for _, m := range o.Facts.Messages {
		if m.Kind == schema.MessageAssistant || m.Kind == schema.MessageThinking {
			got = append(got, m.Text)
			lines += strings.Count(m.Text, "\n")
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("texts\n%q\nwant\n%q", got, want)
	}
	if lines < 20 || len(want) != 5 {
		t.Errorf("%d texts with %d newlines: the capture is not what it was", len(want), lines)
	}
}
