package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/outlet"
	"tapedeck/ingest/tap/file"
	"tapedeck/internal/app/command/knownrecordings"
	"tapedeck/internal/app/command/printers"
)

// recordFiles records several files one after another, each as a stream. A failure does not stop
// the following files, but makes the exit code 1.
func (c *recordCommand) recordFiles(ctx context.Context, g *global, out *outlet.Outlet, rec *ingest.Recorder,
	opts ingest.StreamOptions, all *file.Sources) error {
	began := time.Now()
	total := knownrecordings.FilesResult{Files: len(all.List)}
	agents, err := c.planTranscripts(ctx, g, rec, opts, all.List)
	if err != nil {
		return err
	}
	all.List = agents.inOrder(all.List)
	own := file.Digests{}
	paths := make([]string, len(all.List))
	for i, source := range all.List {
		paths[i] = source.Path
	}
	index := c.index(g, paths...)
	for i, source := range all.List {
		if ctx.Err() != nil {
			total.Left = len(all.List) - i
			break
		}
		sum, err := ingest.Summary{}, source.Err
		if err == nil {
			sum, err = c.recordPath(ctx, agents, fmt.Sprintf("%d/%d %s: ", i+1, len(all.List), source.Path), source.Path, own.Check(source.Path, c.Again, index.LookUp(ctx, source.Path)), rec, opts)
		}
		result := total.Add(source.Path, &sum, err)
		if !g.JSON {
			printers.RecordedFile(os.Stderr, source.Path, &sum, err, &result, opts.FrameClock)
		} else if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
			return err
		}
	}
	err = drain(context.WithoutCancel(ctx), out)
	err = errors.Join(err, agents.close(err == nil))
	waiting := knownrecordings.Waiting{}
	if err == nil && total.Frames > 0 {
		waiting = c.waitReadable(ctx, g, c.NATS)
	}
	total.Waiting = &waiting
	if err != nil {
		total.Error = err.Error()
	}
	code := c.reportFiles(g, &total, string(c.Session), all, time.Since(began))
	if err != nil {
		return err
	}
	if late := c.reportWaiting(g, &waiting); code == nil {
		code = late
	}
	return code
}

// reportFiles prints the result of all files. It returns the exit code as an error if not all files
// were recorded.
func (c *recordCommand) reportFiles(g *global, t *knownrecordings.FilesResult, session string, all *file.Sources, took time.Duration) error {
	c.reported = true
	if !g.JSON {
		printers.RecordedFiles(os.Stderr, t, session, all, took)
	} else if err := json.NewEncoder(os.Stdout).Encode(t); err != nil {
		return err
	}
	if t.Failed+t.Left > 0 {
		return exitCode(exitFailed)
	}
	return nil
}
