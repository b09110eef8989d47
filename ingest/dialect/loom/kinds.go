package loom

import "tapedeck/ingest/dialect"

// kind is a type of frame, or of the event inside of it: its name, its handler, and the members
// by which it is recognised.
type kind struct {
	name   string
	export string // its key in the single-key form (specification §6)
	shapes []shape

	event func(*decoder, *run, *event) // handles an event of a run
	// passive events report a state and may follow the end of their run: alone they do not begin
	// another run.
	passive bool
	anyJSON bool // its payload may be other than an object
	first   bool // a run begins with it
	numbers bool // an event_id of 0 or 1 on it restarts the numbering for another run

	server func(*decoder) // handles any other frame of the server
	client func(*decoder) // handles a request
}

// shape is a set of members, and the confidence in an event that has all of them.
type shape struct {
	sure    dialect.Confidence
	members []field
}

// is returns a shape.
func is(sure dialect.Confidence, members ...field) shape { return shape{sure, members} }

const (
	likely   = dialect.Likely
	possible = dialect.Possible
)

// byName and byExport hold the types. They are filled by init, as handlers may look up a type
// inside of a frame.
var byName, byExport = map[string]*kind{}, map[string]*kind{}

func init() {
	for _, list := range [][]kind{events(), messages()} {
		for i := range list {
			byName[list[i].name] = &list[i]
			if list[i].export != "" {
				byExport[list[i].export] = &list[i]
			}
		}
	}
}

// events returns the events of protocol specification §4.2, and thought_chunk.
func events() []kind {
	graph := []shape{is(likely)}
	nothing := func(*decoder, *run, *event) {}
	return []kind{
		{name: "run_start", export: "RunStart", event: (*decoder).started, first: true,
			shapes: []shape{is(likely, fRunID, fAgent), is(possible, fMessage), is(possible, fRunID)}},
		{name: "node_enter", export: "TaskStart", event: (*decoder).enter, numbers: true, shapes: []shape{is(likely, fID)}},
		{name: "node_exit", export: "TaskEnd", event: (*decoder).leave, shapes: []shape{is(possible, fID)}},
		{name: "message_chunk", export: "Messages", event: (*decoder).said,
			shapes: []shape{is(likely, fContent, fID), is(possible, fContent)}},
		{name: "thought_chunk", event: (*decoder).thought, shapes: []shape{is(likely, fContent, fID), is(possible, fContent)}},
		{name: "usage", export: "Usage", event: (*decoder).costs, shapes: []shape{is(possible, fPrompt, fCompletion)}},

		{name: "tool_call_chunk", export: "ToolCallChunk", event: (*decoder).callChunk, shapes: []shape{is(likely, fDelta)}},
		{name: "tool_call", export: "ToolCall", event: (*decoder).called,
			shapes: []shape{is(likely, fCallID, fName, fArguments), is(possible, fName, fArguments)}},
		{name: "tool_approval", export: "ToolApproval", event: (*decoder).approval, shapes: []shape{is(possible, fName)}},
		{name: "tool_start", export: "ToolStart", event: (*decoder).startTool, shapes: []shape{is(possible, fName)}},
		{name: "tool_output", export: "ToolOutput", event: (*decoder).toolOutput, shapes: []shape{is(possible, fName, fContent)}},
		{name: "tool_end", export: "ToolEnd", event: (*decoder).endTool, shapes: []shape{is(likely, fName, fResult, fIsError)}},
		{name: "custom", export: "Custom", event: (*decoder).custom, passive: true, anyJSON: true,
			shapes: []shape{is(possible, fValue)}},

		{name: "got_node_start", export: "GotNodeStart", event: (*decoder).enterGraph, shapes: graph},
		{name: "got_node_complete", export: "GotNodeComplete", event: (*decoder).leaveGraph, shapes: graph},
		{name: "got_node_failed", export: "GotNodeFailed", event: (*decoder).leaveGraph, shapes: graph},

		{name: "values", export: "Values", event: nothing, passive: true, anyJSON: true},
		{name: "updates", export: "Updates", event: nothing, passive: true},
		{name: "checkpoint", export: "Checkpoint", event: nothing, passive: true},
		{name: "tot_expand", export: "TotExpand", event: nothing, shapes: graph},
		{name: "tot_evaluate", export: "TotEvaluate", event: nothing, shapes: graph},
		{name: "tot_backtrack", export: "TotBacktrack", event: nothing, shapes: graph},
		{name: "got_plan", export: "GotPlan", event: nothing, shapes: graph},
		{name: typeGotExpand, export: "GotExpand", event: nothing, shapes: graph},
	}
}

const (
	typeBundle    = "events" // a whole run in one object, recognised by that member
	typeReply     = "reply"  // mostly without a type, recognised by that member as well
	typeWrapper   = "run_stream_event"
	typeGotExpand = "got_expand"
)

// messages returns the types that are not events. Server and web client use different names for
// some answers.
func messages() []kind {
	list := []kind{
		{name: typeReply, server: (*decoder).replied},
		{name: "run_end", server: (*decoder).runEnded},
		{name: "error", server: (*decoder).failed},
		{name: typeWrapper, server: (*decoder).wrapped},
		{name: "run", server: (*decoder).runRequested, client: (*decoder).runRequested},
		{name: "cancel_run", server: (*decoder).answered, client: (*decoder).cancelRequested},
	}
	for _, name := range []string{
		"ping", "pong", "tools_list", "tool_show", "user_messages", "agent_list",
		"workspace_list", "workspace_create", "workspace_thread_list", "workspace_thread_add", "workspace_thread_remove",
		"list_models", "models_list", "set_model", "model_set", "cancel_run_ack",
	} {
		list = append(list, kind{name: name, server: (*decoder).answered, client: (*decoder).requested})
	}
	return list
}
