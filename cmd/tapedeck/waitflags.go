package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"tapedeck/internal/app/command/knownrecordings"
	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/commandline"
)

// waitFlags say how long a command that records waits until what it recorded can be read.
type waitFlags struct {
	NoWait    bool          `help:"Do not wait until the recording can be read."`
	WaitLimit time.Duration `help:"Wait so long at most until the recording can be read; the exit code is then 1." default:"30s"`
}

// checkWait refuses a limit that is none.
func (f *waitFlags) checkWait() error {
	if f.WaitLimit < 0 {
		return commandline.Errorf("--wait-limit %v: it must not be negative", f.WaitLimit)
	}
	return nil
}

// waitReadable waits until all that the server has received can be read, and returns what cannot. Without
// a tapedeck server, with nats set, nobody can say.
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

// reportWaiting prints what cannot be read yet. It returns the exit code as an error if the command waited
// for it in vain.
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
	return exitCode(exitFailed)
}

// noteIncomplete prints to standard error that frames are missing from an answer.
func noteIncomplete(complete *time.Time, frames *uint64, more bool) {
	if complete == nil || frames == nil || *frames == 0 && !more {
		return
	}
	fmt.Fprint(os.Stderr, printers.Incomplete(*complete, *frames, more))
}
