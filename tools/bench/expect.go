package bench

import (
	_ "embed" // the script
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed totals.mjs
var totalsScript []byte

// Expect computes the totals that the recording of a file must have, with a script that
// shares no code with tapedeck. It needs node.
func Expect(path string) (Totals, error) {
	dir, err := os.MkdirTemp("", "tapedeck-totals-")
	if err != nil {
		return Totals{}, err
	}
	defer os.RemoveAll(dir)
	script := filepath.Join(dir, "totals.mjs")
	if err := os.WriteFile(script, totalsScript, 0o600); err != nil {
		return Totals{}, err
	}
	out, err := exec.Command("node", script, path).Output()
	if err != nil {
		return Totals{}, fmt.Errorf("node totals.mjs: %w", err)
	}
	var t struct {
		Calls      uint64 `json:"calls"`
		Prompt     int64  `json:"prompt"`
		Completion int64  `json:"completion"`
		Tools      uint64 `json:"tools"`
		ToolErrors uint64 `json:"tool_errors"`
	}
	if err := json.Unmarshal(out, &t); err != nil {
		return Totals{}, fmt.Errorf("read what totals.mjs printed: %w", err)
	}
	return Totals{Calls: t.Calls, Input: t.Prompt, Output: t.Completion, Tools: t.Tools, ToolErrors: t.ToolErrors}, nil
}
