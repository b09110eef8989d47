package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"time"

	"tapedeck/deploy/health"
	"tapedeck/deploy/local/datadir"
	"tapedeck/deploy/local/engine"
	"tapedeck/ingest/outlet"
	"tapedeck/ingest/spool"
	"tapedeck/internal/apiclient"
	"tapedeck/internal/console"
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
		w := console.To(os.Stdout)
		for _, f := range findings {
			mark := "ok   "
			if !f.OK {
				mark = "WRONG"
			}
			fmt.Fprintf(w, "%s  %-15s %s\n", mark, f.What, f.Detail)
			if f.Do != "" {
				fmt.Fprintf(w, "       %-15s → %s\n", "", f.Do)
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
		f.Detail = fmt.Sprintf("%s, in use by process %d since %s, %s", dir, running.PID, console.LocalTime(running.Started), running.Address)
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

// findDisk checks the free space on the disk of the data directory.
func findDisk(dir string) finding {
	c := health.Disk(dir, health.LowDisk)
	return finding{What: "disk", OK: c.OK, Detail: c.Detail, Do: c.Do}
}

// findSpool reports recordings that wait to be sent, and the free space for them.
func findSpool() []finding {
	home, err := outlet.SpoolHome()
	if err != nil {
		return []finding{{What: "spool", Detail: err.Error()}}
	}
	disk := health.Disk(home, health.LowDisk)
	if !disk.OK {
		disk.Do = "make room on that disk: recording commands keep there what they cannot send"
	}
	return []finding{findWaiting(home), {What: "spool_disk", OK: disk.OK, Detail: disk.Detail, Do: disk.Do}}
}

func findWaiting(home string) finding {
	f := finding{What: "spool"}
	slots, err := outlet.WaitingSpools()
	if err != nil {
		f.Detail = err.Error()
		return f
	}
	if len(slots) == 0 {
		f.OK, f.Detail = true, "nothing waits to be sent"
		return f
	}
	var all spool.Waiting
	for _, dir := range slots {
		w, err := spool.Look(dir)
		if err != nil {
			f.Detail = err.Error()
			return f
		}
		all.Bytes += w.Bytes
		all.Blocks += w.Blocks
		if all.OldestAt.IsZero() || !w.OldestAt.IsZero() && w.OldestAt.Before(all.OldestAt) {
			all.OldestAt = w.OldestAt
		}
	}
	f.Detail = fmt.Sprintf("frames of %s wait in %s for their server: %s, %s", console.Count(len(slots), "recording command"), home,
		console.Count(all.Blocks, "block"), console.Bytes(uint64(all.Bytes)))
	if !all.OldestAt.IsZero() {
		f.Detail += fmt.Sprintf(", the oldest for %s", time.Since(all.OldestAt).Round(time.Second))
	}
	f.Do = "\"tapedeck flush\" sends them once the server is up; what is still being recorded is sent by itself"
	return f
}

// findServer asks the server how it is.
func (g *global) findServer(ctx context.Context) []finding {
	c, err := g.client()
	if err != nil {
		return []finding{{What: "server", Detail: err.Error()}}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Base.JoinPath("readyz").String(), nil)
	if err != nil {
		return []finding{{What: "server", Detail: err.Error()}}
	}
	c.Authorize(req.Header)
	resp, err := c.HTTP.Do(req)
	if err != nil {
		detail, do, _ := strings.Cut(apiclient.Unreachable(c.Base.String(), err).Error(), "\n")
		return []finding{{What: "server", Detail: detail, Do: do}}
	}
	defer resp.Body.Close()
	var ready health.Readiness
	if err := json.NewDecoder(resp.Body).Decode(&ready); err != nil {
		return []finding{{What: "server", Detail: fmt.Sprintf("%s answers %s, not as a tapedeck server does", c.Base, resp.Status)}}
	}
	findings := []finding{{What: "server", OK: true, Detail: fmt.Sprintf("%s, version %s", c.Base, ready.Version)}}
	for _, ch := range ready.Checks {
		f := finding{What: ch.Part, OK: ch.OK, Detail: cmp.Or(ch.Detail, "well")}
		if !f.OK {
			f.Do = ch.Do
		}
		if f.What == "spool" || f.What == "disk" { // findSpool and findDisk check this machine's
			f.What = "server_" + f.What
		}
		findings = append(findings, f)
	}
	return findings
}
