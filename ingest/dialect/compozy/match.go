package compozy

import (
	"tapedeck/ingest/dialect"
	"tapedeck/schema"
)

// match judges one frame. Names such as "complete", "error", "status" and "tool_call" occur in
// many protocols: other members are the evidence.
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
	if !e.isObject() && e.name != "llm_chunk" {
		return dialect.No, ""
	}
	sure := e.judge(&e)
	switch {
	case sure == dialect.No:
		return sure, ""
	case e.exec != nil && e.id != nil:
		return dialect.Certain, "the event " + e.name + " in its envelope"
	}
	return sure, "the event " + e.name
}

// has reports whether an event has members. A text has none.
func (e *event) has(names ...string) bool {
	for _, name := range names {
		if e.value.Get(name) == nil {
			return false
		}
	}
	return true
}

// stands reports whether an event has a status of the engine.
func (e *event) stands() bool { return statusOf(e.text("status")) != "" }

func judgeWorkflow(e *event) dialect.Confidence {
	return max(when(dialect.Certain, e.has("workflow_id", "execution_id")), when(dialect.Likely, e.has("workflow_id") || e.has("workflowId")))
}

func judgeProgress(e *event) dialect.Confidence { return when(dialect.Likely, e.stands()) }

func judgeAgent(e *event) dialect.Confidence { return when(dialect.Likely, e.has("agentId")) }

func judgeStage(e *event) dialect.Confidence {
	return when(dialect.Certain, e.has("component", "stage"))
}

func judgeChunk(e *event) dialect.Confidence {
	return max(when(dialect.Certain, e.has("component", "sequence", "content")), dialect.Possible)
}

func judgeSnapshot(e *event) dialect.Confidence {
	return max(when(dialect.Certain, e.has("sequence", "content", "complete")), when(dialect.Likely, e.has("partial")))
}

func judgeToolCall(e *event) dialect.Confidence {
	return max(when(dialect.Certain, e.has("component", "tool_call_id", "tool_name", "duration_ms")), when(dialect.Likely, e.has("tool_call_id", "tool_name", "duration_ms") || e.has("toolName", "args")))
}

func judgeWarning(e *event) dialect.Confidence {
	return when(dialect.Likely, e.has("component", "code"))
}

func judgeFailure(e *event) dialect.Confidence {
	return max(when(dialect.Likely, e.stands()), when(dialect.Possible, e.has("message")))
}

func judgeComplete(e *event) dialect.Confidence {
	return max(when(dialect.Likely, e.stands() || e.has("durationMs")), when(dialect.Possible, e.has("result")))
}

func when(sure dialect.Confidence, yes bool) dialect.Confidence {
	if yes {
		return sure
	}
	return dialect.No
}
