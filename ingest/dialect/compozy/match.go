package compozy

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// match judges a frame by itself. Names such as "complete", "error", "status"
// and "tool_call" occur in many protocols: they count for what stands beside
// them.
func match(in *dialect.Input) (dialect.Confidence, string) {
	if head, ok := dialect.HeadOf(in); ok {
		if _, _, ok := executionOf(head.Path); ok {
			return dialect.Likely, string(head.Method) + " " + string(head.Path)
		}
		return dialect.No, ""
	}
	if in.Transport == schema.HTTP || in.Direction == schema.Send || len(in.Data) == 0 {
		return dialect.No, ""
	}
	e, _, known := read(in)
	if !known {
		return dialect.No, ""
	}
	sure := e.judge()
	switch {
	case sure == dialect.No:
		return sure, ""
	case e.exec != nil && e.id != nil:
		return dialect.Certain, "the event " + e.name + " in its envelope"
	}
	return sure, "the event " + e.name
}

// judge judges an event whose name is known.
func (e *event) judge() dialect.Confidence {
	if !e.isObject() {
		if e.kind == chunk {
			return dialect.Possible
		}
		return dialect.No
	}
	has := func(names ...string) bool {
		for _, name := range names {
			if e.value.Get(name) == nil {
				return false
			}
		}
		return true
	}
	stands := standing(e.text("status")) != ""
	switch e.kind {
	case workflowStart:
		return when(dialect.Certain, has("workflow_id") || has("workflowId"))
	case progress:
		return when(dialect.Certain, stands)
	case agentStart:
		return when(dialect.Likely, has("agentId"))
	case stage:
		return when(dialect.Certain, has("component", "stage"))
	case chunk:
		return max(when(dialect.Certain, has("component", "sequence", "content")), dialect.Possible)
	case snapshot:
		return max(when(dialect.Certain, has("sequence", "content", "complete")), when(dialect.Likely, has("partial")))
	case toolCall:
		return max(when(dialect.Certain, has("tool_call_id", "tool_name", "duration_ms")), when(dialect.Likely, has("toolName", "args")))
	case warning:
		return when(dialect.Likely, has("component", "code"))
	case failure:
		return max(when(dialect.Likely, stands), when(dialect.Possible, has("message")))
	case complete:
		return max(when(dialect.Likely, stands || has("durationMs")), when(dialect.Possible, has("result")))
	}
	return dialect.No
}

func when(sure dialect.Confidence, yes bool) dialect.Confidence {
	if yes {
		return sure
	}
	return dialect.No
}
