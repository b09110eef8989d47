package demo

import (
	"encoding/json"
	"fmt"
	"time"
)

// agentModel is the model of the scripted coding agent, which has a list price.
const agentModel = "claude-sonnet-4-5-20250929"

// List prices of the model for a million tokens, dollars, as the agent states its cost.
const (
	inputPrice, outputPrice, cacheReadPrice, cacheWritePrice = 3, 15, 0.3, 3.75
)

// Line is a line of a scripted agent's output, and the pause before it.
type Line struct {
	After time.Duration
	Text  []byte // without "\n"
}

// agent builds the output of a coding agent, in the form of Claude Code with --output-format
// stream-json --include-partial-messages --verbose.
type agent struct {
	session string
	lines   []Line
	calls   int     // of models
	cost    float64 // dollars
	turns   int
}

// tokens are the tokens of one call of a model.
type tokens struct{ input, cacheRead, cacheWrite, output int }

func (a *agent) add(after time.Duration, line map[string]any) {
	line["session_id"] = a.session
	line["uuid"] = fmt.Sprintf("%s-%d", a.session, len(a.lines)+1)
	text, err := json.Marshal(line)
	if err != nil {
		panic(err) // the lines are constants
	}
	a.lines = append(a.lines, Line{after, text})
}

func (a *agent) begin(prompt string) {
	a.add(0, map[string]any{"type": "system", "subtype": "init", "cwd": "/srv/shop", "model": agentModel,
		"permissionMode": "acceptEdits", "tools": []string{"Bash", "Read", "Edit", "Task"}})
	a.add(20*time.Millisecond, map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": prompt}})
}

// call is a call of the model: it says a text in pieces, and calls a tool if tool is not "".
func (a *agent) call(wait time.Duration, text, tool, id string, input map[string]any, n tokens) {
	message := a.message(n)
	event := func(after time.Duration, e map[string]any) {
		a.add(after, map[string]any{"type": "stream_event", "parent_tool_use_id": nil, "event": e})
	}
	event(wait, map[string]any{"type": "message_start", "message": message(nil, nil)})
	event(0, map[string]any{"type": "content_block_start", "index": 0, "content_block": map[string]any{"type": "text", "text": ""}})
	for i, piece := range chunks(text) {
		event(time.Duration(20+(i*37)%45)*time.Millisecond, map[string]any{"type": "content_block_delta", "index": 0,
			"delta": map[string]any{"type": "text_delta", "text": piece}})
	}
	content := []any{map[string]any{"type": "text", "text": text}}
	a.add(2*time.Millisecond, map[string]any{"type": "assistant", "parent_tool_use_id": nil, "message": message(content, nil)})
	event(0, map[string]any{"type": "content_block_stop", "index": 0})
	reason := "end_turn"
	if tool != "" {
		reason = "tool_use"
		arguments, err := json.Marshal(input)
		if err != nil {
			panic(err) // the arguments are constants
		}
		event(0, map[string]any{"type": "content_block_start", "index": 1,
			"content_block": map[string]any{"type": "tool_use", "id": id, "name": tool, "input": map[string]any{}}})
		for i := 0; i < len(arguments); i += 24 {
			event(25*time.Millisecond, map[string]any{"type": "content_block_delta", "index": 1, "delta": map[string]any{
				"type": "input_json_delta", "partial_json": string(arguments[i:min(i+24, len(arguments))])}})
		}
		use := map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input}
		a.add(2*time.Millisecond, map[string]any{"type": "assistant", "parent_tool_use_id": nil, "message": message([]any{use}, nil)})
		event(0, map[string]any{"type": "content_block_stop", "index": 1})
	}
	event(5*time.Millisecond, map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": reason},
		"usage": usage(n)})
	event(0, map[string]any{"type": "message_stop"})
	a.turns++
}

// message returns a function that makes the message of a new call of the model.
func (a *agent) message(n tokens) func(content []any, stop any) map[string]any {
	a.calls++
	id := fmt.Sprintf("msg_%s_%d", a.session, a.calls)
	a.cost += (float64(n.input)*inputPrice + float64(n.output)*outputPrice + float64(n.cacheRead)*cacheReadPrice +
		float64(n.cacheWrite)*cacheWritePrice) / 1e6
	return func(content []any, stop any) map[string]any {
		if content == nil {
			content = []any{}
		}
		return map[string]any{"id": id, "type": "message", "role": "assistant", "model": agentModel, "content": content,
			"stop_reason": stop, "usage": usage(n)}
	}
}

func usage(n tokens) map[string]any {
	return map[string]any{"input_tokens": n.input, "cache_read_input_tokens": n.cacheRead,
		"cache_creation_input_tokens": n.cacheWrite, "output_tokens": n.output, "service_tier": "standard"}
}

// helper is a call of a sub-agent's model, which works in the call of a tool.
func (a *agent) helper(after time.Duration, parent, text, tool, id string, input map[string]any, n tokens) {
	content := []any{map[string]any{"type": "text", "text": text}}
	if tool != "" {
		content = append(content, map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input})
	}
	a.add(after, map[string]any{"type": "assistant", "parent_tool_use_id": parent, "subagent_type": "reviewer",
		"message": a.message(n)(content, nil)})
}

// result is the result of a tool: a text, or blocks of content. parent is the call in which a
// sub-agent called the tool, nil for the main agent.
func (a *agent) result(after time.Duration, id string, content any, failed bool, parent any) {
	a.add(after, map[string]any{"type": "user", "parent_tool_use_id": parent, "message": map[string]any{"role": "user",
		"content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": content, "is_error": failed}}}})
}

// end ends the run, with an error if failed.
func (a *agent) end(text string, failed bool) {
	subtype := "success"
	if failed {
		subtype = "error_during_execution"
	}
	var took time.Duration
	for _, l := range a.lines {
		took += l.After
	}
	a.add(10*time.Millisecond, map[string]any{"type": "result", "subtype": subtype, "is_error": failed, "result": text,
		"duration_ms": took.Milliseconds(), "num_turns": a.turns, "total_cost_usd": a.cost})
}
