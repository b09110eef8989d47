package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"tapedeck/internal/fulltest"
)

// texts are texts whose JSON is short or long.
var texts = map[string]string{
	"empty": "", "words": strings.Repeat("some words ", 500), "quotes": strings.Repeat(`"\`, 2_500), "control": strings.Repeat("\x00\x1f", 2_500),
	"wide": strings.Repeat("日本語", 2_500), "separators": strings.Repeat("\u2028", 2_500), "invalid": strings.Repeat("\xff\xfe", 2_500), "HTML": strings.Repeat("<&>", 2_500),
}

// calls has a call of each tool.
var calls = map[string]map[string]any{
	"find_sessions": {"limit": 50}, "session_outline": {"session": "s"}, "session_errors": {"session": "s"}, "read_messages": {"session": "s", "bytes": 4000, "limit": 100},
	"read_span": {"session": "s", "span": "id-00001"}, "read_frames": {"session": "s", "bytes": 4000, "limit": 100}, "search_text": {"query": strings.Repeat(`"`, 1000), "limit": 50},
	"compare_sessions": {"a": "s", "b": "s"}, "open_calls": {"limit": 50}, "tool_stats": {"slowest": 10}, "usage_report": {"group_by": []string{"model"}},
	"add_note": {"session": "s", "text": strings.Repeat(`"`, 16<<10), "label": []string{"a"}, "at": "+1s"},
}

// No answer of a tool exceeds 20 KB, whatever the recordings have, and what was cut is named by a call
// that works: whoever follows these calls receives every item once.
func TestAnswersAreBounded(t *testing.T) {
	fulltest.Long(t)
	for name, text := range texts {
		for _, n := range []int{2, 16} {
			if n > 2 && name != "words" && name != "control" {
				continue // these are the shortest and the longest in JSON
			}
			t.Run(fmt.Sprintf("%s %d", name, n), func(t *testing.T) {
				s := connect(t, &fakeAPI{n: n, text: text})
				list, err := s.ListTools(t.Context(), nil)
				if err != nil || len(list.Tools) != len(calls) {
					t.Fatalf("%d tools, %v; want %d", len(list.Tools), err, len(calls))
				}
				for _, tool := range list.Tools {
					check(t, func(tool string, arguments map[string]any) string {
						answer, failed := ask(t, s, tool, arguments)
						if failed {
							t.Errorf("%s %.200v: %.200s", tool, arguments, answer)
						}
						return answer
					}, tool.Name, calls[tool.Name], n)
				}
				for _, tool := range []string{"session_outline", "session_errors", "read_messages", "read_span"} {
					if n == 2 {
						break // the longer lists suffice
					}
					arguments := maps.Clone(calls[tool])
					arguments["as_of"] = "+1h"
					check(t, func(tool string, arguments map[string]any) string {
						answer, failed := ask(t, s, tool, arguments)
						if failed {
							t.Errorf("%s %.200v: %.200s", tool, arguments, answer)
						}
						return answer
					}, tool, arguments, n)
				}
			})
		}
	}
}

// sizeOfContent returns the bytes of the content of a result with a text.
func sizeOfContent(t *testing.T, text string) int {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode([]map[string]string{{"type": "text", "text": text}}); err != nil {
		t.Fatal(err)
	}
	return b.Len() - 1 // without the line feed
}

// itemOf is what identifies an item of each list; "" where an item has nothing of its own.
var itemOf = map[string]string{"sessions": "session", "spans": "span", "messages": "message", "frames": "position", "hits": "message", "steps": "row"}

// check calls a tool and follows the calls in its answers to the end of the list.
func check(t *testing.T, call func(tool string, arguments map[string]any) string, tool string, arguments map[string]any, n int) {
	t.Helper()
	arguments, seen := maps.Clone(arguments), map[string]bool{}
	for pages := 0; pages <= n; pages++ {
		text := call(tool, arguments)
		if n := sizeOfContent(t, text); n > 20_480 {
			t.Errorf("%s: %d bytes", tool, n)
		}
		var answer map[string]json.RawMessage
		var left []more
		if err := json.Unmarshal([]byte(text), &answer); err != nil {
			t.Fatalf("%s: %v in %.200s", tool, err, text)
		}
		if answer["more"] != nil && json.Unmarshal(answer["more"], &left) != nil {
			t.Fatalf("%s: more is %.200s", tool, answer["more"])
		}
		for list, of := range itemOf {
			var items []map[string]any
			if answer[list] == nil || json.Unmarshal(answer[list], &items) != nil {
				continue
			}
			for _, item := range items {
				id := fmt.Sprint(item[of])
				if seen[id] {
					t.Errorf("%s: %s is there twice", tool, id)
				}
				seen[id] = true
			}
		}
		arguments = nil
		for _, m := range left {
			if sizeOfContent(t, call(m.Tool, m.Arguments)) > 20_480 {
				t.Errorf("%s: a call of %s in more is longer than 20 KB", tool, m.Tool)
			}
			if m.Tool == tool && m.Arguments["cursor"] != nil && m.Arguments["message"] == nil {
				arguments = m.Arguments
			}
		}
		if arguments == nil {
			break
		}
		if pages == n {
			t.Errorf("%s: the list does not end: %.200v", tool, arguments)
		}
	}
	want := map[string]int{"find_sessions": n, "session_outline": n, "session_errors": n, "read_messages": n, "read_frames": n, "search_text": n, "compare_sessions": n, "open_calls": n}[tool]
	if len(seen) != want {
		t.Errorf("%s: %d items, want %d", tool, len(seen), want)
	}
}

// The rest of a long text is returned to the last byte.
func TestRestOfTexts(t *testing.T) {
	fulltest.Long(t)
	for name, text := range texts {
		if name == "invalid" || name == "empty" {
			continue // JSON replaces bytes that are not UTF-8
		}
		text = strings.Repeat(text, 5)
		s := connect(t, &fakeAPI{n: 3, text: text})
		for tool, arguments := range map[string]map[string]any{
			"read_messages": {"session": "s", "message": "id-00001"}, "read_span": {"session": "s", "span": "id-00001", "part": "id-00001"}, "read_frames": {"session": "s", "position": "0.0"},
		} {
			var whole strings.Builder
			for arguments != nil {
				answer, failed := ask(t, s, tool, arguments)
				var parsed struct {
					Message, Frame, Text json.RawMessage
					More                 []more
				}
				if err := json.Unmarshal([]byte(answer), &parsed); err != nil || failed || sizeOfContent(t, answer) > 20_480 {
					t.Fatalf("%s: %v, %d bytes: %.200s", tool, err, len(answer), answer)
				}
				var part window
				for _, of := range []json.RawMessage{parsed.Message, parsed.Frame, parsed.Text} {
					if of != nil {
						_ = json.Unmarshal(of, &part) // whole is compared
					}
				}
				whole.WriteString(part.Text)
				arguments = nil
				for _, m := range parsed.More {
					if m.Arguments["offset"] != nil {
						arguments = m.Arguments
					}
				}
			}
			if whole.String() != text {
				t.Errorf("%s, %s: %d bytes, want %d", name, tool, whole.Len(), len(text))
			}
		}
	}
}
