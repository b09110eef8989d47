package agenthooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Ended is what an agent states to a hook for the end of a session.
type Ended struct {
	Session string `json:"session_id"`
	Folder  string `json:"cwd"` // in which the agent worked
	Event   string `json:"hook_event_name"`
}

// statedLimit is the largest input in bytes. Agents write less than 1 KB.
const statedLimit = 1 << 20

// ReadEnded reads what an agent writes to a hook.
func ReadEnded(r io.Reader) (*Ended, error) {
	text, err := io.ReadAll(io.LimitReader(r, statedLimit+1))
	if err != nil {
		return nil, fmt.Errorf("read standard input: %w", err)
	}
	e := &Ended{}
	switch {
	case len(text) > statedLimit:
		return nil, fmt.Errorf("standard input has more than %d bytes: it is not what an agent writes to a hook", statedLimit)
	case json.Unmarshal(text, e) != nil:
		return nil, errors.New("standard input is not what an agent writes to a hook: it is not an object of JSON")
	case e.Session == "":
		return nil, errors.New("standard input is not what an agent writes to a hook: it has no session_id")
	}
	return e, nil
}
