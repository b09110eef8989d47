// Package atif writes what was said and done in a session in the Agent Trajectory Interchange Format, version
// 1.7, which evaluation tools read. The format is defined in rfcs/0001-trajectory-format.md of the project
// Harbor.
package atif

import (
	"encoding/json"
	"errors"
	"io"

	"tapedeck/internal/app/tapefacts"
)

// ErrEmpty is returned for a session in which nobody said or called anything: the format has no trajectory
// without steps.
var ErrEmpty = errors.New("the session has no messages and no calls of models or tools, of which a trajectory consists")

// Write writes a session as one trajectory, and returns the number of its steps, with those of its sub-agents.
// Equal facts make equal bytes.
func Write(out io.Writer, s *tapefacts.Session) (int, error) {
	t, count := newBuilder(s).build()
	if count == 0 {
		return 0, ErrEmpty
	}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return count, e.Encode(t)
}
