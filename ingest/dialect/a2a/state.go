package a2a

import (
	"bytes"

	"tapedeck/schema"
)

// states are the states of a task, in the spelling of version 0.3, and what they make of
// its run.
var states = map[string]schema.Status{
	"submitted":      schema.StatusOpen,
	"working":        schema.StatusOpen,
	"unknown":        schema.StatusOpen,
	"input-required": schema.StatusWaiting,
	"auth-required":  schema.StatusWaiting,
	"completed":      schema.StatusOK,
	"failed":         schema.StatusError,
	"rejected":       schema.StatusError,
	"canceled":       schema.StatusCancelled,
}

// stateOf returns a state in the spelling of version 0.3; "" for none that is known.
// Version 1.0 writes TASK_STATE_INPUT_REQUIRED.
func stateOf(text []byte) string {
	name := bytes.TrimPrefix(bytes.ToLower(text), []byte("task_state_"))
	name = bytes.ReplaceAll(name, []byte("_"), []byte("-"))
	switch string(name) {
	case "unspecified":
		return "unknown"
	case "cancelled":
		return "canceled"
	}
	if _, known := states[string(name)]; !known {
		return ""
	}
	return string(name)
}

// isPause reports whether the agent does not go on after a state by itself.
func isPause(state string) bool {
	status := states[state]
	return status.Ended() || status == schema.StatusWaiting
}
