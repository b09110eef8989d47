package bench

import (
	"fmt"

	"github.com/valyala/fastjson"
)

// homeTexts returns a function that returns the texts of a line of Claude Code: what users, models
// and tools wrote, and the arguments of calls. A line that a resumed session repeats has none.
func homeTexts() func(raw []byte) ([]string, error) {
	seen := map[string]bool{}
	var parser fastjson.Parser
	return func(raw []byte) (texts []string, err error) {
		line, err := parser.ParseBytes(raw)
		if err != nil {
			return nil, fmt.Errorf("read a line of the home: %w", err)
		}
		id := string(line.GetStringBytes("uuid"))
		if seen[id] {
			return nil, nil
		}
		seen[id] = true
		return contentTexts(nil, line.Get("message", "content")), nil
	}
}

// contentTexts appends the texts of a content: a text, or an array of blocks.
func contentTexts(texts []string, content *fastjson.Value) []string {
	if content == nil {
		return texts
	}
	if text, err := content.StringBytes(); err == nil {
		return append(texts, string(text))
	}
	for _, block := range content.GetArray() {
		switch string(block.GetStringBytes("type")) {
		case "text":
			texts = append(texts, string(block.GetStringBytes("text")))
		case "tool_use":
			texts = append(texts, block.Get("input").String())
		case "tool_result":
			texts = contentTexts(texts, block.Get("content"))
		}
	}
	return texts
}
