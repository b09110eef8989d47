// Package doctor checks an installation: the engine, the data directory, the disks, the spools of
// recording commands, and the server.
package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"tapedeck/ingest/delivery/outlet"
	"tapedeck/ingest/delivery/spool"
	"tapedeck/internal/apiclient"
	"tapedeck/internal/app/health"
	"tapedeck/internal/clockskew"
	"tapedeck/internal/console"
	"tapedeck/internal/local/datadir"
	"tapedeck/internal/local/engine"
)

// Finding is the result of one check.
type Finding struct {
	What   string `json:"what"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Do     string `json:"do,omitempty"` // how to resolve the problem
}

// Check performs all checks, and returns the findings and the number of problems.
func Check(ctx context.Context, dir string, server func() (*apiclient.Client, error)) (findings []Finding, wrong int) {
	findings = []Finding{findEngine(ctx), findData(dir), findDisk(dir)}
	findings = append(findings, findSpool()...)
	of := findServer(ctx, server)
	if engine := &findings[0]; !engine.OK && of[0].OK { // the server has its own ClickHouse
		*engine = Finding{What: engine.What, OK: true,
			Detail: "not installed on this machine: \"tapedeck up\" needs it, the server does not"}
	}
	findings = append(findings, of...)
	for _, f := range findings {
		if !f.OK {
			wrong++
		}
	}
	return findings, wrong
}

// findEngine looks for the ClickHouse engine of local mode.
func findEngine(ctx context.Context) Finding {
	p, err := engine.Find(ctx)
	if err != nil {
		return Finding{What: "engine", Detail: err.Error(), Do: "needed by \"tapedeck up\" only"}
	}
	return Finding{What: "engine", OK: true, Detail: p.String()}
}

func findData(dir string) Finding {
	f := Finding{What: "data", OK: true}
	running, err := datadir.Running(dir)
	switch {
	case err == nil:
		f.Detail = fmt.Sprintf("%s, in use by process %d since %s, %s", dir, running.PID,
			console.LocalTime(running.Started), running.Address)
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
func findDisk(dir string) Finding {
	c := health.Disk(dir, health.LowDisk)
	return Finding{What: "disk", OK: c.OK, Detail: c.Detail, Do: c.Do}
}

// RoomForSpool is the advice for a nearly full disk with the spools of recording commands.
const RoomForSpool = "make room on that disk: recording commands keep there what they cannot send"

// findSpool reports recordings that wait to be sent, and the free space for them.
func findSpool() []Finding {
	home, err := outlet.SpoolHome()
	if err != nil {
		return []Finding{{What: "spool", Detail: err.Error()}}
	}
	disk := health.Disk(home, health.LowDisk)
	if !disk.OK {
		disk.Do = RoomForSpool
	}
	return []Finding{findWaiting(home), {What: "spool_disk", OK: disk.OK, Detail: disk.Detail, Do: disk.Do}}
}

func findWaiting(home string) Finding {
	f := Finding{What: "spool"}
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
	servers := map[string]bool{}
	for _, dir := range slots {
		if t := spool.TargetOf(dir); t != nil {
			servers[t.Server] = true
		}
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
	whom := "their server"
	if len(servers) > 0 {
		whom = strings.Join(slices.Sorted(maps.Keys(servers)), ", ")
	}
	f.Detail = fmt.Sprintf("frames of %s wait in %s for %s: %s, %s",
		console.Count(len(slots), "recording command"), home, whom,
		console.Count(all.Blocks, "block"), console.Bytes(uint64(all.Bytes)))
	if !all.OldestAt.IsZero() {
		f.Detail += fmt.Sprintf(", the oldest for %s", time.Since(all.OldestAt).Round(time.Second))
	}
	f.Do = "\"tapedeck flush\" sends them once the server is up; what is still being recorded is sent by itself"
	return f
}

// findClock checks how far the server's clock is ahead of this machine's clock.
func findClock(ahead time.Duration) Finding {
	if differs := clockskew.Describe(ahead); differs != "" {
		return Finding{What: "clock", Detail: differs, Do: clockskew.Do}
	}
	return Finding{What: "clock", OK: true, Detail: "the clock of this machine agrees with the server's"}
}

// findServer reads /readyz of the server.
func findServer(ctx context.Context, server func() (*apiclient.Client, error)) []Finding {
	c, err := server()
	if err != nil {
		return []Finding{{What: "server", Detail: err.Error()}}
	}
	began := time.Now()
	resp, err := c.Do(ctx, http.MethodGet, "readyz", nil, "application/json")
	if err != nil {
		detail, do, _ := strings.Cut(err.Error(), "\n")
		return []Finding{{What: "server", Detail: detail, Do: do}}
	}
	defer resp.Body.Close()
	if err := c.CheckServer(ctx, resp); err != nil {
		detail, do, _ := strings.Cut(err.Error(), ": name one")
		return []Finding{{What: "server", Detail: detail, Do: "name one" + do}}
	}
	var ready health.Readiness
	if err := json.NewDecoder(resp.Body).Decode(&ready); err != nil {
		return []Finding{{What: "server", Detail: fmt.Sprintf("%s answers %s, not as a tapedeck server does", c.Base, resp.Status)}}
	}
	findings := []Finding{{What: "server", OK: true, Detail: fmt.Sprintf("%s, version %s", c.Base, ready.Version)}, findClock(clockskew.OfAnswer(resp, began))}
	for _, ch := range ready.Checks {
		f := Finding{What: ch.Part, OK: ch.OK, Detail: cmp.Or(ch.Detail, "well")}
		if !f.OK {
			f.Do = ch.Do
		}
		switch f.What {
		case "spool", "disk", "clock": // the findings with these names describe this machine
			f.What = "server_" + f.What
		}
		findings = append(findings, f)
	}
	return findings
}
