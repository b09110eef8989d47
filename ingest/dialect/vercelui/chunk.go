package vercelui

// kind is what a chunk says.
type kind uint8

const (
	start kind = iota + 1
	startStep
	finishStep
	resetStep
	finish
	abort
	failure
	metadata
	textStart
	textDelta
	textEnd
	reasoningStart
	reasoningDelta
	reasoningEnd
	output // a file: something the model made that is no text
	inputStart
	inputDelta
	inputReady
	inputError
	outputReady
	outputError
	outputDenied
	approvalAsked
	approvalGiven
	aside // known, and nothing is concluded from it
)

// word is a type as it is written.
type word struct {
	name string
	kind kind
}

// byType knows the types of the UI message stream but data-*.
var byType = func(words ...word) map[string]word {
	m := make(map[string]word, len(words))
	for _, w := range words {
		m[w.name] = w
	}
	return m
}(
	word{"start", start},
	word{"start-step", startStep},
	word{"finish-step", finishStep},
	word{"reset-step", resetStep},
	word{"finish", finish},
	word{"abort", abort},
	word{"error", failure},
	word{"message-metadata", metadata},
	word{"text-start", textStart},
	word{"text-delta", textDelta},
	word{"text-end", textEnd},
	word{"reasoning-start", reasoningStart},
	word{"reasoning-delta", reasoningDelta},
	word{"reasoning-end", reasoningEnd},
	word{"reasoning-file", output},
	word{"file", output},
	word{"tool-input-start", inputStart},
	word{"tool-input-delta", inputDelta},
	word{"tool-input-available", inputReady},
	word{"tool-input-error", inputError},
	word{"tool-output-available", outputReady},
	word{"tool-output-error", outputError},
	word{"tool-output-denied", outputDenied},
	word{"tool-approval-request", approvalAsked},
	word{"tool-approval-response", approvalGiven},
	word{"source-url", aside},
	word{"source-document", aside},
	word{"custom", aside},
)

// doneMarker closes a UI message stream.
const doneMarker = "[DONE]"
