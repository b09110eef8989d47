package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/dustin/go-humanize"

	"tapedeck/deploy/local/datadir"
	"tapedeck/deploy/local/engine"
)

// doctorCommand checks an installation.
type doctorCommand struct {
	Data string `help:"Data directory to look at. Default: tapedeck in the XDG data home." placeholder:"DIR" type:"path"`
}

// finding is one thing that was checked.
type finding struct {
	What   string `json:"what"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Do     string `json:"do,omitempty"` // what to do about it
}

// lowDisk is the free space under which the doctor warns.
const lowDisk = 2 << 30

// Run checks everything and prints what it found. It fails if anything is wrong.
func (c *doctorCommand) Run(ctx context.Context, g *global) error {
	dir := c.Data
	if dir == "" {
		var err error
		if dir, err = datadir.Default(); err != nil {
			return err
		}
	}
	findings := []finding{findEngine(ctx), findData(dir), findDisk(dir)}
	findings = append(findings, findSpool()...)
	findings = append(findings, g.findServer(ctx)...)
	wrong := 0
	for _, f := range findings {
		if !f.OK {
			wrong++
		}
	}
	if g.JSON {
		if err := json.NewEncoder(os.Stdout).Encode(map[string]any{"ok": wrong == 0, "findings": findings}); err != nil {
			return err
		}
	} else {
		w := screen{os.Stdout}
		for _, f := range findings {
			mark := "ok   "
			if !f.OK {
				mark = "WRONG"
			}
			fmt.Fprintf(w, "%s  %-12s %s\n", mark, f.What, f.Detail)
			if f.Do != "" {
				fmt.Fprintf(w, "       %-12s → %s\n", "", f.Do)
			}
		}
	}
	if wrong > 0 {
		return exitCode(exitFailed)
	}
	return nil
}

// findEngine looks for the ClickHouse of local mode.
func findEngine(ctx context.Context) finding {
	p, err := engine.Find(ctx)
	if err != nil {
		return finding{What: "engine", Detail: err.Error(), Do: "needed by \"tapedeck up\" only"}
	}
	return finding{What: "engine", OK: true, Detail: p.String()}
}

func findData(dir string) finding {
	f := finding{What: "data", OK: true}
	running, err := datadir.Running(dir)
	switch {
	case err == nil:
		f.Detail = fmt.Sprintf("%s, in use by process %d since %s, %s", dir, running.PID, localTime(running.Started), running.Address)
	case errors.Is(err, datadir.ErrNotRunning):
		f.Detail = dir + ", not in use"
		if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			f.Detail = dir + " is not there yet: \"tapedeck up\" makes it"
		}
	default:
		f.OK, f.Detail = false, err.Error()
	}
	return f
}

func findDisk(dir string) finding {
	for { // the directory need not be there yet
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return finding{What: "disk", Detail: fmt.Sprintf("free space of %s: %v", dir, err)}
	}
	free := disk.Bavail * uint64(disk.Bsize)
	f := finding{What: "disk", OK: free >= lowDisk, Detail: humanize.IBytes(free) + " free"}
	if !f.OK {
		f.Do = "make room, or put the data elsewhere with --data: a full disk stops recording"
	}
	return f
}

// findSpool looks for recordings that wait to be sent.
func findSpool() []finding {
	dir, err := spoolHome()
	if err != nil {
		return []finding{{What: "spool", Detail: err.Error()}}
	}
	slots, err := waitingSlots()
	if err != nil || len(slots) == 0 {
		return []finding{{What: "spool", OK: true, Detail: "nothing waits to be sent"}}
	}
	return []finding{{
		What: "spool", Detail: fmt.Sprintf("frames of %s wait in %s for their server", count(len(slots), "recording command"), dir),
		Do: "\"tapedeck flush\" sends them once the server is up; what is still being recorded is sent by itself",
	}}
}

// findServer asks the server how it is.
func (g *global) findServer(ctx context.Context) []finding {
	c, err := g.client()
	if err != nil {
		return []finding{{What: "server", Detail: err.Error()}}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base.JoinPath("readyz").String(), nil)
	if err != nil {
		return []finding{{What: "server", Detail: err.Error()}}
	}
	c.authorize(req.Header)
	resp, err := c.http.Do(req)
	if err != nil {
		detail, do, _ := strings.Cut(c.unreachable(err).Error(), "\n")
		return []finding{{What: "server", Detail: detail, Do: do}}
	}
	defer resp.Body.Close()
	var ready readiness
	if err := json.NewDecoder(resp.Body).Decode(&ready); err != nil {
		return []finding{{What: "server", Detail: fmt.Sprintf("%s answers %s, not as a tapedeck server does", c.base, resp.Status)}}
	}
	findings := []finding{{What: "server", OK: true, Detail: fmt.Sprintf("%s, version %s", c.base, ready.Version)}}
	for _, ch := range ready.Checks {
		f := finding{What: ch.Part, OK: ch.OK, Detail: or(ch.Detail, "well")}
		if f.What == "spool" { // that of this machine's recordings is another
			f.What = "server_spool"
		}
		if ch.Part == deadLettersPart && ch.Detail != "" {
			f.OK, f.Do = false, "\"tapedeck dead-letters\" lists them with the reason, \"tapedeck dead-letters retry\" tries again"
		}
		findings = append(findings, f)
	}
	return findings
}
