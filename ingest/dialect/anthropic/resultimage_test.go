package anthropic

import (
	"fmt"
	"strings"
	"testing"

	"tapedeck/ingest/dialect/dialecttest"
	"tapedeck/schema"
)

// A tool's result with a long image beside its text has the text, and says that there is an image.
func TestImageBesideText(t *testing.T) {
	text := fmt.Sprintf(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1",`+
		`"content":[{"type":"text","text":"took a screenshot"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"%s"}}]}]}]}`,
		strings.Repeat("iVBO", 20_000))
	o, err := dialecttest.Play(Dialect, []schema.Frame{{At: dialecttest.Start, Direction: schema.Send, Raw: []byte(text + "\n")}},
		dialecttest.Start+1, func(int) (bool, bool) { return false, false })
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range o.Facts.Messages {
		if m.Kind == schema.MessageResult && (m.Text != "took a screenshot" || m.Media != "text" || m.Attributes != `{"parts":["image"]}`) {
			t.Errorf("%q, %s, %s", m.Text, m.Media, m.Attributes)
		}
	}
	if len(o.Facts.Messages) != 1 {
		t.Errorf("%d messages", len(o.Facts.Messages))
	}
}
