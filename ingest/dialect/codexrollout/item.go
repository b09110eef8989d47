package codexrollout

import (
	"bytes"

	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// items maps types of items, the input and the output of the model, to handlers.
var items = dialect.NewTypes(map[string]func(*decoder, *line){
	"message":                 (*decoder).message,
	"reasoning":               (*decoder).reasoning,
	"function_call":           (*decoder).functionCall,
	"custom_tool_call":        (*decoder).customCall,
	"local_shell_call":        (*decoder).shellCall,
	"tool_search_call":        (*decoder).searchCall,
	"tool_call":               (*decoder).toolCall,
	"function_call_output":    (*decoder).output,
	"custom_tool_call_output": (*decoder).output,
	"tool_search_output":      (*decoder).searchOutput,
	"tool_result":             (*decoder).toolResult,
	"web_search_call":         (*decoder).webSearch,
	"image_generation_call":   (*decoder).imageGeneration,
	"agent_message":           nil,
	"additional_tools":        nil,
	"ghost_snapshot":          nil,
	"compaction":              nil,
	"compaction_summary":      nil,
	"context_compaction":      nil,
	"other":                   nil,
})

// message reads a message of the user or the model, or instructions of Codex to the model.
func (d *decoder) message(l *line) {
	text := dialect.RawWords(dialect.RawMember(l.raw, "content"))
	switch string(l.text("role")) {
	case "assistant":
		d.inCall()
		d.turn.answered = true
		if len(text) > 0 {
			d.tr.Say(schema.MessageAssistant, text)
		}
	case "user":
		if !isContext(text) {
			d.asks(text)
			return
		}
		fallthrough
	case "developer", "system":
		if len(text) > 0 {
			d.tr.Say(schema.MessageSystem, text)
		}
	default:
		d.Unknown()
	}
}

// reasoning reads the readable part of the model's thinking, which is mostly only a summary.
func (d *decoder) reasoning(l *line) {
	d.inCall()
	var parts [][]byte
	for _, name := range []string{"summary", "content"} {
		if text := dialect.RawWords(dialect.RawMember(l.raw, name)); len(text) > 0 {
			parts = append(parts, text)
		}
	}
	if text := bytes.Join(parts, []byte("\n")); len(text) > 0 {
		d.tr.Say(schema.MessageThinking, text)
	}
}
