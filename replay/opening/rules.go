package opening

// effect is what a frame changes in what is open.
type effect int

const (
	begins   effect = iota // everything before it is over: a run, an answer
	ends                   // everything is over
	opens                  // a part
	adds                   // to an open part, or to a state that was sent
	replaces               // a part or a state
	closes                 // a part
	// chunks opens a part, or adds to it. A chunk of another id or kind and most other frames of its lane end the part.
	chunks
)

// rule is the effect of a type of frame. Frames of one part have the same kind and the same value of the member.
type rule struct {
	effect effect
	kind   string
	member []string // path in the JSON of the frame; nil for kinds of which there is one
	// unless is a member that is true in frames which do not close the part but add to it.
	unless string
	// beside is set for frames that leave the chunks before them open.
	beside bool
	// only, if set, is a path in the JSON and its value in the frames that have the effect. Others change
	// nothing.
	only []string
}

// dialects has the rules of each dialect whose clients refuse frames of parts that were not opened. Frames
// of other types change nothing.
var dialects = map[string]map[string]rule{
	// AG-UI 1.0: a stream begins with RUN_STARTED, and contents, ends and deltas need their start or their snapshot
	// (docs.ag-ui.com/spec/1.0/events/lifecycle.md). A chunk with an id replaces the start. The arguments of an open
	// call are put together of all their pieces.
	"ag-ui": {
		"RUN_STARTED":                 {effect: begins},
		"RUN_FINISHED":                {effect: ends},
		"RUN_ERROR":                   {effect: ends},
		"STEP_STARTED":                {effect: opens, kind: "step", member: []string{"stepName"}},
		"STEP_FINISHED":               {effect: closes, kind: "step", member: []string{"stepName"}},
		"TEXT_MESSAGE_START":          {effect: opens, kind: "text", member: []string{"messageId"}},
		"TEXT_MESSAGE_END":            {effect: closes, kind: "text", member: []string{"messageId"}},
		"TOOL_CALL_START":             {effect: opens, kind: "tool", member: []string{"toolCallId"}},
		"TOOL_CALL_ARGS":              {effect: adds, kind: "tool", member: []string{"toolCallId"}},
		"TOOL_CALL_END":               {effect: closes, kind: "tool", member: []string{"toolCallId"}},
		"TEXT_MESSAGE_CHUNK":          {effect: chunks, kind: "text chunks", member: []string{"messageId"}},
		"TOOL_CALL_CHUNK":             {effect: chunks, kind: "tool chunks", member: []string{"toolCallId"}},
		"REASONING_MESSAGE_CHUNK":     {effect: chunks, kind: "reasoning chunks", member: []string{"messageId"}},
		"THINKING_START":              {effect: opens, kind: "thinking"},
		"THINKING_END":                {effect: closes, kind: "thinking"},
		"THINKING_TEXT_MESSAGE_START": {effect: opens, kind: "thought"},
		"THINKING_TEXT_MESSAGE_END":   {effect: closes, kind: "thought"},
		"REASONING_START":             {effect: opens, kind: "reasoning", member: []string{"messageId"}},
		"REASONING_END":               {effect: closes, kind: "reasoning", member: []string{"messageId"}},
		"REASONING_MESSAGE_START":     {effect: opens, kind: "reasoning message", member: []string{"messageId"}},
		"REASONING_MESSAGE_END":       {effect: closes, kind: "reasoning message", member: []string{"messageId"}},
		"MESSAGES_SNAPSHOT":           {effect: replaces, kind: "messages"},
		"STATE_SNAPSHOT":              {effect: replaces, kind: "state"},
		"STATE_DELTA":                 {effect: adds, kind: "state"},
		"ACTIVITY_SNAPSHOT":           {effect: replaces, kind: "activity", member: []string{"messageId"}, beside: true},
		"ACTIVITY_DELTA":              {effect: adds, kind: "activity", member: []string{"messageId"}, beside: true},
	},
	// AI SDK, UI message stream: deltas and ends need the start of their part, and results of tools need the input
	// (ai, processUIMessageStream), which is put together of all its pieces.
	"vercel-ui": {
		"start":                 {effect: begins},
		"finish":                {effect: ends},
		"abort":                 {effect: ends},
		"error":                 {effect: ends},
		"start-step":            {effect: opens, kind: "step"},
		"finish-step":           {effect: closes, kind: "step"},
		"text-start":            {effect: opens, kind: "text", member: []string{"id"}},
		"text-end":              {effect: closes, kind: "text", member: []string{"id"}},
		"reasoning-start":       {effect: opens, kind: "reasoning", member: []string{"id"}},
		"reasoning-end":         {effect: closes, kind: "reasoning", member: []string{"id"}},
		"tool-input-start":      {effect: opens, kind: "tool", member: []string{"toolCallId"}},
		"tool-input-delta":      {effect: adds, kind: "tool", member: []string{"toolCallId"}},
		"tool-input-available":  {effect: replaces, kind: "tool", member: []string{"toolCallId"}},
		"tool-input-error":      {effect: replaces, kind: "tool", member: []string{"toolCallId"}},
		"tool-approval-request": {effect: adds, kind: "tool", member: []string{"toolCallId"}},
		"tool-output-available": {effect: closes, kind: "tool", member: []string{"toolCallId"}, unless: "preliminary"},
		"tool-output-error":     {effect: closes, kind: "tool", member: []string{"toolCallId"}},
		"tool-output-denied":    {effect: closes, kind: "tool", member: []string{"toolCallId"}},
	},
	// Anthropic's SDK numbers blocks by their starts, so that earlier blocks are needed, too. It puts the input of a
	// tool together of all its pieces.
	"anthropic-messages": {
		"message_start":       {effect: begins},
		"message_stop":        {effect: ends},
		"error":               {effect: ends},
		"content_block_start": {effect: opens, kind: "block", member: []string{"index"}},
		"content_block_delta": {effect: adds, kind: "block", member: []string{"index"}, only: []string{"delta", "type", "input_json_delta"}},
		"content_block_stop":  {effect: adds, kind: "block", member: []string{"index"}},
	},
}
