package main

import (
	"context"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/app/command/knownrecordings"
	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/commandline"
)

// waitFlags set how long a command waits until its recording can be read.
type waitFlags struct {
	NoWait    bool          `help:"Do not wait until the recording can be read."`
	WaitLimit time.Duration `help:"Longest wait until the recording can be read; then the exit code is 1." default:"30s" env:"TAPEDECK_WAIT_LIMIT"`
}

// checkWait returns an error if the limit is negative.
func (f *waitFlags) checkWait() error {
	if f.WaitLimit < 0 {
		return commandline.Errorf("--wait-limit %v: it must not be negative", f.WaitLimit)
	}
	return nil
}

// waitReadable waits until everything that the server has received can be read, and returns what
// cannot be read yet. If the command publishes to NATS (nats is set), there is no tapedeck server
// to query, and it returns an unknown result.
func (f *waitFlags) waitReadable(ctx context.Context, g *global, nats string) knownrecordings.Waiting {
	if nats != "" {
		return knownrecordings.Waiting{}
	}
	limit := f.WaitLimit
	if f.NoWait {
		limit = 0
	}
	return knownrecordings.WaitReadable(ctx, g.client, limit)
}

// reportWaiting prints what cannot be read yet. If the command waited without success, it says so
// and returns the exit code as an error.
func (f *waitFlags) reportWaiting(g *global, w *knownrecordings.Waiting) error {
	if !w.Any() {
		return nil
	}
	if !g.JSON {
		printers.Waiting(os.Stderr, w)
	}
	if f.NoWait {
		return nil
	}
	printers.WaitedInVain(os.Stderr, f.WaitLimit)
	return exitCode(exitFailed)
}

// reader returns the client for queries about recordings. If the server reports that frames are
// missing from an answer, or shards, the client prints this once to standard error.
func (g *global) reader() (*apiclient.Client, error) {
	c, err := g.client()
	if err != nil {
		return nil, err
	}
	var once, onceOfShards sync.Once
	c.Answered = func(h http.Header) {
		if missing := h.Get("Tapedeck-Missing-Shards"); missing != "" {
			onceOfShards.Do(func() { printers.MissingShards(os.Stderr, missing) })
		}
		frames, more := strings.CutSuffix(h.Get("Tapedeck-Waiting-Frames"), "+")
		n, err := strconv.ParseUint(frames, 10, 64)
		to, bad := time.Parse(time.RFC3339Nano, h.Get("Tapedeck-Complete-To"))
		if err != nil || bad != nil || n == 0 && !more {
			return
		}
		once.Do(func() { printers.Incomplete(os.Stderr, to, n, more) })
	}
	return c, nil
}
