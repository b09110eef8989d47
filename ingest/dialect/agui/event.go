package agui

// kind is what an event says.
type kind uint8

const (
	runStarted kind = iota + 1
	runFinished
	runError
	stepStarted
	stepFinished
	agentStarted
	agentFinished
	agentFailed
	textStart
	textContent
	textEnd
	textChunk
	thinkingContent
	thinkingEnd
	thinkingChunk
	toolStart
	toolArgs
	toolEnd
	toolChunk
	toolResult
	snapshot
	raw
	aside // known, and nothing is concluded from it
)

// word is a type as it is written.
type word struct {
	name string
	kind kind
}

// byType knows the types of events. THINKING_ is how REASONING_ was called.
var byType = func(words ...word) map[string]word {
	m := make(map[string]word, len(words))
	for _, w := range words {
		m[w.name] = w
	}
	return m
}(
	word{"RUN_STARTED", runStarted},
	word{"RUN_FINISHED", runFinished},
	word{"RUN_ERROR", runError},
	word{"STEP_STARTED", stepStarted},
	word{"STEP_FINISHED", stepFinished},
	word{"SUBAGENT_STARTED", agentStarted},
	word{"SUBAGENT_FINISHED", agentFinished},
	word{"SUBAGENT_ERROR", agentFailed},
	word{"TEXT_MESSAGE_START", textStart},
	word{"TEXT_MESSAGE_CONTENT", textContent},
	word{"TEXT_MESSAGE_END", textEnd},
	word{"TEXT_MESSAGE_CHUNK", textChunk},
	word{"REASONING_START", aside},
	word{"REASONING_MESSAGE_START", thinkingEnd}, // of one before it with the id
	word{"REASONING_MESSAGE_CONTENT", thinkingContent},
	word{"REASONING_MESSAGE_END", thinkingEnd},
	word{"REASONING_MESSAGE_CHUNK", thinkingChunk},
	word{"REASONING_END", thinkingEnd},
	word{"REASONING_ENCRYPTED_VALUE", aside},
	word{"THINKING_START", aside},
	word{"THINKING_TEXT_MESSAGE_START", thinkingEnd},
	word{"THINKING_TEXT_MESSAGE_CONTENT", thinkingContent},
	word{"THINKING_TEXT_MESSAGE_END", thinkingEnd},
	word{"THINKING_END", thinkingEnd},
	word{"TOOL_CALL_START", toolStart},
	word{"TOOL_CALL_ARGS", toolArgs},
	word{"TOOL_CALL_END", toolEnd},
	word{"TOOL_CALL_CHUNK", toolChunk},
	word{"TOOL_CALL_RESULT", toolResult},
	word{"MESSAGES_SNAPSHOT", snapshot},
	word{"STATE_SNAPSHOT", aside},
	word{"STATE_DELTA", aside},
	word{"ACTIVITY_SNAPSHOT", aside},
	word{"ACTIVITY_DELTA", aside},
	word{"RAW", raw},
	word{"CUSTOM", aside},
)
