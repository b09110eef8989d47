package redact

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"tapedeck/schema"
)

// BenchmarkPush measures Masker.Push alone, for frames without secrets of several kinds.
func BenchmarkPush(b *testing.B) {
	prose := strings.Repeat("The function returns a token,\\nwhich \\\"parse\\\" reads. ", 80)
	other := strings.Repeat("In order to change the Makefile, we Need to open the main.go and Modify what NewServer does with each Option.\\n", 40)
	b64 := strings.Repeat("iVBORw0KGgoAAAANSUhEUgAAAM0MANOTkSuQmCCMb3xO9fNzEaK7qLpRstUvWxYz0123M", 60)
	usage := `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":%d,"cache_read_input_tokens":0,"output_tokens":10}}`
	for name, line := range map[string]string{
		"chunks": `{"session_id":"run-1","node_id":"think","event_id":%d,"type":"message_chunk","content":" word","id":"m1"}`,
		"keyish": `{"session_id":"sess-000017","node_id":"think","event_id":%d,"type":"message_chunk","content":" word","id":"m1"}`,
		"text":   `{"session_id":"s","n":%d,"type":"message","content":"` + prose + `"}`,
		"prose":  `{"session_id":"s","n":%d,"type":"message","content":"` + other + `"}`,
		"base64": `{"session_id":"s","n":%d,"type":"image","data":"` + b64 + `"}`,
		"usage":  usage,
	} {
		var frames [][]byte
		n := 0
		for i := range 1000 {
			frames = append(frames, bytes.Clone(fmt.Appendf(nil, line, i)))
			n += len(frames[i])
		}
		b.Run(name, func(b *testing.B) {
			m := Default().NewMasker()
			b.SetBytes(int64(n))
			for b.Loop() {
				for _, raw := range frames {
					f := schema.Frame{Transport: schema.NDJSON, Raw: raw}
					m.Push(&f, func(*schema.Frame) {})
				}
			}
		})
	}
}
