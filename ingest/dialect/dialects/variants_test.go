package dialects_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tapedeck/ingest/dialect/dialecttest"
)

// bound has the captured streams that cannot be reframed: they are text or binary.
var bound = []string{
	"ag_ui/sse_edge_cases.sse.txt",
	"anthropic_agent/legacy_xml_docx.sse.txt",
	"bedrock/anthropic_invoke_tool_streaming.0.bin",
	"bedrock/test_bedrock_model_iter_stream.0.bin",
	"third_round/bedrock_nova_invoke_guardrail.bin",
	"third_round/sse_undispatched_tail.sse", // another framing ends its last event
}

// event is one event of a captured stream: the name of its SSE event, if any, and its JSON or a
// text such as [DONE].
type event struct{ name, data string }

// events splits a captured stream into events, without the code under test.
func events(t testing.TB, name string) []event {
	t.Helper()
	data := string(bytes.TrimPrefix(dialecttest.Fixture(t, name), []byte("\xef\xbb\xbf")))
	var all []event
	switch {
	case filepath.Ext(name) == ".json" && strings.HasPrefix(data, "{"): // a whole answer
		all = append(all, event{data: compact(data)})
	case filepath.Ext(name) == ".json":
		var elements []json.RawMessage
		if err := json.Unmarshal([]byte(data), &elements); err != nil {
			t.Fatal(err)
		}
		for _, e := range elements {
			all = append(all, event{data: compact(string(e))})
		}
	case strings.Contains(name, ".sse"):
		kind := ""
		for line := range strings.Lines(strings.ReplaceAll(data, "\r\n", "\n")) {
			line = strings.TrimRight(line, "\n")
			if value, ok := strings.CutPrefix(line, "event: "); ok {
				kind = value
			}
			if value, ok := strings.CutPrefix(line, "data: "); ok {
				all = append(all, event{kind, strings.TrimSpace(value)})
				kind = ""
			}
		}
	default:
		for line := range strings.Lines(data) {
			if line = strings.TrimSpace(line); line != "" {
				all = append(all, event{data: line})
			}
		}
	}
	return all
}

// framings write events in the framings of captures.
var framings = map[string]func([]event) string{
	"NDJSON":      func(all []event) string { return join(all, func(e event) string { return e.data + "\n" }) },
	"NDJSON CRLF": func(all []event) string { return join(all, func(e event) string { return e.data + "\r\n" }) },
	"NDJSON BOM": func(all []event) string {
		return "\xef\xbb\xbf" + join(all, func(e event) string { return e.data + "\n" })
	},
	"NDJSON, no last newline": func(all []event) string {
		return strings.TrimSuffix(join(all, func(e event) string { return e.data + "\n" }), "\n")
	},
	"SSE":             func(all []event) string { return join(all, func(e event) string { return "data: " + e.data + "\n\n" }) },
	"indented values": func(all []event) string { return join(all, func(e event) string { return indented(e, "") + "\n" }) },
	"SSE, no blanks":  func(all []event) string { return join(all, func(e event) string { return "data:" + e.data + "\n\n" }) },
	"SSE with ids, comments and times": func(all []event) string {
		n := 0
		return "retry: 3000\n\n" + join(all, func(e event) string {
			n++
			return fmt.Sprintf(": keep-alive\n\nid: %d\nevent: %s\ndata: %s\n\n", n, typeOf(e), e.data)
		})
	},
	"SSE CRLF": func(all []event) string {
		return join(all, func(e event) string { return "data: " + e.data + "\r\n\r\n" })
	},
	"SSE BOM": func(all []event) string {
		return "\xef\xbb\xbf" + join(all, func(e event) string { return "data: " + e.data + "\n\n" })
	},
	"SSE with events": func(all []event) string {
		return join(all, func(e event) string { return "event: " + typeOf(e) + "\ndata: " + e.data + "\n\n" })
	},
	"array": func(all []event) string {
		return "[" + strings.TrimSuffix(join(all, func(e event) string { return e.data + "," }), ",") + "]"
	},
	"array, indented": func(all []event) string {
		return "[\n" + strings.TrimSuffix(join(all, func(e event) string {
			return "  " + indented(e, "  ") + ",\n"
		}), ",\n") + "\n]\n"
	},
}

// indented prints an event over several lines.
func indented(e event, prefix string) string {
	var b bytes.Buffer
	if json.Indent(&b, []byte(e.data), prefix, "  ") != nil {
		return e.data
	}
	return b.String()
}

// isText reports whether an event is text, such as [DONE].
func isText(e event) bool { return !strings.HasPrefix(e.data, "{") }

func join(all []event, write func(event) string) string {
	var b strings.Builder
	for _, e := range all {
		b.WriteString(write(e))
	}
	return b.String()
}

// typeOf returns the event's name, else the type in its JSON.
func typeOf(e event) string {
	var named struct {
		Type      string `json:"type"`
		EventType string `json:"event_type"`
	}
	_ = json.Unmarshal([]byte(e.data), &named)
	for _, name := range []string{e.name, named.Type, named.EventType} {
		if name != "" {
			return name
		}
	}
	return "message"
}

// A captured stream has the same facts in every framing, and is recorded to the byte.
func TestReframedFixtures(t *testing.T) {
	for _, name := range dialecttest.Fixtures(t) {
		if slices.Contains(bound, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			all := events(t, name)
			want := recordBytes(t, dialecttest.Fixture(t, name)).lines()
			for framing, write := range framings {
				if strings.HasPrefix(framing, "array") && slices.ContainsFunc(all[:len(all)-1], isText) {
					continue // an array cannot contain [DONE]
				}
				text := write(all)
				if strings.HasPrefix(framing, "array") {
					text = write(slices.DeleteFunc(slices.Clone(all), isText))
				}
				got := recordBytes(t, []byte(text))
				if string(got.raw) != text {
					t.Errorf("%s: the bytes differ", framing)
				}
				if diff := cmp.Diff(want, got.lines()); diff != "" {
					t.Errorf("%s (-as kept +reframed):\n%s", framing, diff)
				}
			}
		})
	}
}

// A captured stream has the same facts when it is recorded into the sessions that its frames
// name.
func TestFixturesOwnSessions(t *testing.T) {
	for _, name := range dialecttest.Fixtures(t) {
		t.Run(name, func(t *testing.T) {
			data := dialecttest.Fixture(t, name)
			if diff := cmp.Diff(recordBytes(t, data).lines(), recordInto(t, "", data).lines()); diff != "" {
				t.Errorf("facts (-one session +own sessions):\n%s", diff)
			}
		})
	}
}
