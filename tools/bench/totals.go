package bench

import (
	"context"
	_ "embed" // the script
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"tapedeck/query/report/toolreport"
	"tapedeck/query/report/usagereport"
)

// Totals are the totals of a recorded source.
type Totals struct {
	Calls      uint64 `json:"calls"`
	Input      int64  `json:"prompt"`
	Output     int64  `json:"completion"`
	CacheRead  int64  `json:"cache_read,omitempty"`
	CacheWrite int64  `json:"cache_write,omitempty"`
	Tools      uint64 `json:"tools"`
	ToolErrors uint64 `json:"tool_errors"`
}

//go:embed totals.mjs
var totalsScript []byte

// Expect computes the totals that a recording of a file must have, with a script that shares no
// code with tapedeck. It needs node.
func Expect(path string) (t Totals, err error) {
	dir, err := os.MkdirTemp("", "tapedeck-totals-")
	if err != nil {
		return t, err
	}
	defer os.RemoveAll(dir)
	script := filepath.Join(dir, "totals.mjs")
	if err := os.WriteFile(script, totalsScript, 0o600); err != nil {
		return t, err
	}
	out, err := exec.Command("node", script, path).Output()
	if err != nil {
		return t, fmt.Errorf("node totals.mjs: %w", err)
	}
	if err := json.Unmarshal(out, &t); err != nil {
		return t, fmt.Errorf("read the totals that totals.mjs printed: %w", err)
	}
	return t, nil
}

// totalsLimit bounds how long the API may take to report the expected totals.
const totalsLimit = 30 * time.Second

// awaitTotals polls the server's totals until they equal the expected ones, and fails after
// totalsLimit. It returns the time since began, or took if the first answer matches.
func (e *EndToEnd) awaitTotals(ctx context.Context, up *command, began time.Time, took time.Duration) (time.Duration, error) {
	for end := time.Now().Add(totalsLimit); ; took = time.Since(began) {
		var usage usagereport.Report
		var tools toolreport.Report
		err := errors.Join(up.get(ctx, "/v1/usage?granularity=total", &usage),
			up.get(ctx, "/v1/tools?granularity=total", &tools))
		if err != nil {
			return took, err
		}
		e.Got = Totals{
			Calls: usage.Totals.Calls, Input: usage.Totals.Tokens.Input, Output: usage.Totals.Tokens.Output,
			CacheRead: usage.Totals.Tokens.CacheRead, CacheWrite: usage.Totals.Tokens.CacheWrite5m + usage.Totals.Tokens.CacheWrite1h,
			Tools: tools.Totals.Calls, ToolErrors: tools.Totals.Errors,
		}
		switch {
		case e.Expected == nil || e.Got == *e.Expected:
			return took, nil
		case time.Now().After(end):
			return took, fmt.Errorf("the API reports %+v after %v, the file has %+v", e.Got, totalsLimit, *e.Expected)
		}
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return took, err
		}
	}
}
