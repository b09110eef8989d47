package clients

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a captured stream holds, read off its text by rules of each provider's
// documentation, with no code of the recorder's or the player's.

type object = map[string]any

// payloads returns the JSON objects of a captured stream, as events or as lines.
func payloads(t *testing.T, path string) (list []object) {
	t.Helper()
	text, err := os.ReadFile(path)
	check(t, err)
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("data:")))
		if !bytes.HasPrefix(line, []byte("{")) {
			continue // a name, an end, a line between events
		}
		var o object
		check(t, json.Unmarshal(line, &o))
		list = append(list, o)
	}
	if len(list) == 0 {
		t.Fatalf("%s holds nothing", path)
	}
	return list
}

// at returns a member of a member, nil where there is none.
func at(v any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			o, _ := v.(object)
			v = o[step]
		case int:
			list, _ := v.([]any)
			if step >= len(list) {
				return nil
			}
			v = list[step]
		}
	}
	return v
}

func text(v any, path ...any) string {
	s, _ := at(v, path...).(string)
	return s
}

func same(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the client's outcome (+) is not what was captured (-):\n%s", diff)
	}
}

type chat struct {
	Chunks       int        `json:"chunks"`
	ID           string     `json:"id"`
	Model        string     `json:"model"`
	Text         string     `json:"text"`
	Tools        []chatTool `json:"tools"`
	FinishReason string     `json:"finish_reason"`
	Usage        object     `json:"usage"`
}

type chatTool struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

func readChat(t *testing.T, path string) chat {
	c := chat{Tools: []chatTool{}}
	for _, p := range payloads(t, path) {
		c.Chunks++
		c.ID, c.Model = text(p, "id"), text(p, "model")
		choice := at(p, "choices", 0)
		c.Text += text(choice, "delta", "content")
		calls, _ := at(choice, "delta", "tool_calls").([]any)
		for _, call := range calls {
			i := int(at(call, "index").(float64))
			for len(c.Tools) <= i {
				c.Tools = append(c.Tools, chatTool{})
			}
			c.Tools[i].ID += text(call, "id")
			c.Tools[i].Name += text(call, "function", "name")
			c.Tools[i].Arguments += text(call, "function", "arguments")
		}
		if r := text(choice, "finish_reason"); r != "" {
			c.FinishReason = r
		}
		if u, ok := at(p, "usage").(object); ok {
			c.Usage = u
		}
	}
	return c
}

type response struct {
	Events int    `json:"events"`
	Failed object `json:"failed"`
	Text   string `json:"text"`
	Items  []item `json:"items"`
	Usage  object `json:"usage"`
}

type item struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

func readResponse(t *testing.T, path string) response {
	r := response{Items: []item{}}
	var said strings.Builder
	for _, p := range payloads(t, path) {
		if text(p, "type") == "error" { // the library ends
			r.Failed, _ = at(p, "error").(object)
			break
		}
		r.Events++
		switch text(p, "type") {
		case "response.output_text.delta":
			said.WriteString(text(p, "delta"))
		case "response.output_item.done":
			r.Items = append(r.Items, item{text(p, "item", "type"), text(p, "item", "id")})
		case "response.completed":
			r.Usage, _ = at(p, "response", "usage").(object)
		}
	}
	r.Text = said.String()
	return r
}

type message struct {
	Events     int    `json:"events"`
	ID         string `json:"id"`
	Model      string `json:"model"`
	StopReason string `json:"stop_reason"`
	Content    []any  `json:"content"`
	Usage      object `json:"usage"`
}

func readMessage(t *testing.T, path string) message {
	var m message
	arguments := map[int]string{}
	for _, p := range payloads(t, path) {
		if text(p, "type") == "ping" {
			continue // the library keeps these to itself
		}
		m.Events++
		i := 0
		if n, ok := at(p, "index").(float64); ok {
			i = int(n)
		}
		switch text(p, "type") {
		case "message_start":
			m.ID, m.Model = text(p, "message", "id"), text(p, "message", "model")
			m.Usage, _ = at(p, "message", "usage").(object)
		case "content_block_start":
			m.Content = append(m.Content, at(p, "content_block"))
		case "content_block_delta":
			block := m.Content[i].(object)
			switch d := at(p, "delta").(object); text(d, "type") {
			case "text_delta":
				block["text"] = text(block, "text") + text(d, "text")
			case "thinking_delta":
				block["thinking"] = text(block, "thinking") + text(d, "thinking")
			case "signature_delta":
				block["signature"] = text(d, "signature")
			case "input_json_delta":
				arguments[i] += text(d, "partial_json")
			case "citations_delta":
				list, _ := block["citations"].([]any)
				block["citations"] = append(list, at(d, "citation"))
			case "compaction_delta":
				block["content"] = text(block, "content") + text(d, "content")
			default:
				t.Fatalf("a delta of type %s: this test does not know it", text(d, "type"))
			}
		case "content_block_stop":
			if arguments[i] != "" {
				var v any
				check(t, json.Unmarshal([]byte(arguments[i]), &v))
				m.Content[i].(object)["input"] = v
			}
		case "message_delta":
			m.StopReason = text(p, "delta", "stop_reason")
			for k, v := range at(p, "usage").(object) {
				m.Usage[k] = v
			}
		}
	}
	return m
}

type content struct {
	Chunks       int    `json:"chunks"`
	Text         string `json:"text"`
	FinishReason string `json:"finish_reason"`
	Usage        object `json:"usage"`
}

func readContent(t *testing.T, path string) (c content) {
	for _, p := range payloads(t, path) {
		c.Chunks++
		parts, _ := at(p, "candidates", 0, "content", "parts").([]any)
		for _, part := range parts {
			if at(part, "thought") != true {
				c.Text += text(part, "text")
			}
		}
		if r := text(p, "candidates", 0, "finishReason"); r != "" {
			c.FinishReason = r
		}
		if u, ok := at(p, "usageMetadata").(object); ok {
			c.Usage = u
		}
	}
	return c
}
