package a2a

import (
	"bytes"

	"tapedeck/schema"
)

// states maps the states of a task, as version 0.3 spells them, to the status of its run.
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

// stateOf returns a state as version 0.3 spells it, or "" for an unknown one. Version 1.0 writes
// TASK_STATE_INPUT_REQUIRED.
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

// isPause reports whether the agent waits in a state.
func isPause(state string) bool {
	status := states[state]
	return status.Ended() || status == schema.StatusWaiting
}
