package otlp

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"tapedeck/internal/otlpwire"
)

// The parts of a message are joined in their order, with memory for about the text that they have.
func TestManyParts(t *testing.T) {
	const parts = 5000
	part := strings.Repeat("x", 1000)
	var list, numbered []string
	for i := range parts {
		list = append(list, `{"type":"text","content":"`+part+`"},{"type":"reasoning","text":"r"}`)
		numbered = append(numbered, `{"key":"llm.output_messages.0.message.contents.`+strconv.Itoa(i)+`.message_content.text","value":{"stringValue":"`+part+`"}}`)
	}
	want := strings.Repeat(part, parts)
	for name, tc := range map[string]struct{ attributes, reasoning string }{
		"list": {`{"key":"gen_ai.output.messages","value":{"stringValue":` +
			strconv.Quote(`[{"role":"assistant","parts":[`+strings.Join(list, ",")+`]}]`) + `}}`, strings.Repeat("r", parts)},
		"numbered": {strings.Join(numbered, ","), ""},
	} {
		e, err := otlpwire.Parse([]byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[` + tc.attributes + `]}]}]}]}`))
		if err != nil {
			t.Fatal(err)
		}
		e.All(func(_ *otlpwire.Group, _ *otlpwire.Scope, item *otlpwire.Item) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got := answer(item.Attributes)
			runtime.ReadMemStats(&after)
			if len(got) != 1 || got[0].text != want || got[0].reasoning != tc.reasoning {
				t.Errorf("%s: %d messages", name, len(got))
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 500<<20 { // 12 GB if each part copied those before it
				t.Errorf("%s: %d bytes were allocated", name, used)
			}
		})
	}
}
