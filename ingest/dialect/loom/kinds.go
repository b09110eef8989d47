package loom

// kind is what a frame, or the event inside it, is.
type kind uint8

const (
	unknown kind = iota

	// The events of protocol specification §4.2, and thought_chunk.
	runStart
	nodeEnter
	nodeExit
	messageChunk
	thoughtChunk
	usage
	values
	updates
	custom
	checkpoint
	totExpand
	totEvaluate
	totBacktrack
	gotPlan
	gotNodeStart
	gotNodeComplete
	gotNodeFailed
	gotExpand
	toolCallChunk
	toolCall
	toolStart
	toolOutput
	toolEnd
	toolApproval

	// What ends a run.
	reply
	bundle // a whole run in one object
	runEnd
	failure

	// The WebSocket's wrapper and requests.
	wrapper
	runRequest
	cancelRun
	exchange // any other request, and the answers
)

// typeNames are the types as they stand in frames. A reply and a bundle have
// none: they go by the member that makes them out.
var typeNames = [...]string{
	runStart: "run_start", nodeEnter: "node_enter", nodeExit: "node_exit", messageChunk: "message_chunk",
	thoughtChunk: "thought_chunk", usage: "usage", values: "values", updates: "updates", custom: "custom",
	checkpoint: "checkpoint", totExpand: "tot_expand", totEvaluate: "tot_evaluate", totBacktrack: "tot_backtrack",
	gotPlan: "got_plan", gotNodeStart: "got_node_start", gotNodeComplete: "got_node_complete",
	gotNodeFailed: "got_node_failed", gotExpand: "got_expand", toolCallChunk: "tool_call_chunk", toolCall: "tool_call",
	toolStart: "tool_start", toolOutput: "tool_output", toolEnd: "tool_end", toolApproval: "tool_approval",
	reply: "reply", bundle: "events", runEnd: "run_end", failure: "error",
	wrapper: "run_stream_event", runRequest: "run", cancelRun: "cancel_run",
}

// exportNames are the keys of the single-key form (specification §6).
var exportNames = [...]string{
	runStart: "RunStart", nodeEnter: "TaskStart", nodeExit: "TaskEnd", messageChunk: "Messages", usage: "Usage",
	values: "Values", updates: "Updates", custom: "Custom", checkpoint: "Checkpoint", totExpand: "TotExpand",
	totEvaluate: "TotEvaluate", totBacktrack: "TotBacktrack", gotPlan: "GotPlan", gotNodeStart: "GotNodeStart",
	gotNodeComplete: "GotNodeComplete", gotNodeFailed: "GotNodeFailed", gotExpand: "GotExpand",
	toolCallChunk: "ToolCallChunk", toolCall: "ToolCall", toolStart: "ToolStart", toolOutput: "ToolOutput",
	toolEnd: "ToolEnd", toolApproval: "ToolApproval",
}

// exchanges are the requests and answers that tell of no run. Of some answers
// server and web client have names of their own.
var exchanges = [...]string{
	"ping", "pong", "tools_list", "tool_show", "user_messages", "agent_list",
	"workspace_list", "workspace_create", "workspace_thread_list", "workspace_thread_add", "workspace_thread_remove",
	"list_models", "models_list", "set_model", "model_set", "cancel_run_ack",
}

// word is what a type's name stands for.
type word struct {
	kind kind
	name string // the type's name, to be used in place of a copy
}

var (
	byType   = map[string]word{}
	byExport = map[string]word{}
)

func init() {
	for k, name := range typeNames {
		if name != "" && kind(k) != bundle {
			byType[name] = word{kind(k), name}
		}
	}
	for k, name := range exportNames {
		if name != "" {
			byExport[name] = word{kind(k), name}
		}
	}
	for _, name := range exchanges {
		byType[name] = word{exchange, name}
	}
}

// isEvent reports whether it is one of the events that make up a run.
func (k kind) isEvent() bool { return k >= runStart && k <= toolApproval }

// passive events tell of a state and may follow the end of their run: alone
// they are no sign that another has begun.
func (k kind) passive() bool {
	return k == values || k == updates || k == custom || k == checkpoint
}
