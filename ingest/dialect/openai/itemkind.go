package openai

import "bytes"

// runner says who executes a tool.
type runner int

const (
	notATool runner = iota
	byClient
	byServer
	isResult // the item is a call's result
)

// itemKind is a type of item.
type itemKind struct {
	runs runner
	name string // of the tool, where the item itself names none
	id   string // the member that names the call
	// input and result are the members with what the tool was given and what
	// it returned; media is what the input is, JSON unless it says otherwise.
	input, result, media string
}

var itemKinds = map[string]*itemKind{
	"message":                 {},
	"reasoning":               {},
	"compaction":              {},
	"function_call":           {runs: byClient, id: "call_id", input: "arguments"},
	"custom_tool_call":        {runs: byClient, id: "call_id", input: "input", media: "text"},
	"computer_call":           {runs: byClient, name: "computer", id: "call_id", input: "action"},
	"local_shell_call":        {runs: byClient, name: "local_shell", id: "call_id", input: "action"},
	"shell_call":              {runs: byClient, name: "shell", id: "call_id", input: "action"},
	"apply_patch_call":        {runs: byClient, name: "apply_patch", id: "call_id", input: "operation"},
	"mcp_approval_request":    {runs: byClient, id: "id", input: "arguments"},
	"web_search_call":         {runs: byServer, name: "web_search", id: "id", input: "action"},
	"file_search_call":        {runs: byServer, name: "file_search", id: "id", input: "queries", result: "results"},
	"code_interpreter_call":   {runs: byServer, name: "code_interpreter", id: "id", input: "code", result: "outputs", media: "text"},
	"image_generation_call":   {runs: byServer, name: "image_generation", id: "id", input: "revised_prompt", media: "text"},
	"mcp_call":                {runs: byServer, id: "id", input: "arguments", result: "output"},
	"mcp_list_tools":          {runs: byServer, name: "mcp_list_tools", id: "id"},
	"function_call_output":    {runs: isResult},
	"custom_tool_call_output": {runs: isResult},
	"computer_call_output":    {runs: isResult},
	"local_shell_call_output": {runs: isResult},
	"shell_call_output":       {runs: isResult},
	"apply_patch_call_output": {runs: isResult},
	"mcp_approval_response":   {runs: isResult},
}

// otherTool is a hosted tool that is newer than this list.
var otherTool = &itemKind{runs: byServer, id: "id"}

// kindOf gives the kind of an item, nil for one that is not known.
func kindOf(typ []byte) *itemKind {
	if k := itemKinds[string(typ)]; k != nil {
		return k
	}
	if name, ok := bytes.CutSuffix(typ, []byte("_call")); ok {
		other := *otherTool
		other.name = string(name)
		return &other
	}
	return nil
}
