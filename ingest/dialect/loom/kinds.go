package loom

import "tapedeck/ingest/dialect"

// kind is a type of frame, or of the event inside it: what it is called, what is
// done with it, and by which members it is recognised.
type kind struct {
	name   string
	export string // its key in the single-key form (specification §6)
	shapes []shape

	event func(*decoder, *run, *event) // one of the events that make up a run
	// passive events report a state and may follow the end of their run: alone
	// they are no sign that another has begun.
	passive bool
	anyJSON bool // its payload may be more than an object
	first   bool // a run begins with it
	numbers bool // an event_id of 0 or 1 on it begins the numbers of another run

	server func(*decoder) // any other frame that the server sends
	client func(*decoder) // a request
}

// shape is a set of members, and how sure a frame is an event if it has them.
type shape struct {
	sure    dialect.Confidence
	members []field
}

// is lists members for a shape.
func is(sure dialect.Confidence, members ...field) shape { return shape{sure, members} }

const (
	likely   = dialect.Likely
	possible = dialect.Possible
)

// byName and byExport find the types. They are filled in by init, as what is done
// with a frame may be to look at another inside it.
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

// events are those of protocol specification §4.2, and thought_chunk.
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
	typeBundle    = "events" // a whole run in one object: it goes by that member
	typeReply     = "reply"  // mostly without a type, by that member as well
	typeWrapper   = "run_stream_event"
	typeGotExpand = "got_expand"
)

// messages are the types that are no events. Of some answers server and web
// client have names of their own.
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
