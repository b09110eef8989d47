package main

import (
	"context"
	"errors"
	"strings"

	"tapedeck/ingest"
	"tapedeck/ingest/delivery/outlet"
	"tapedeck/ingest/tap/agenthistory"
	"tapedeck/ingest/tap/file"
	"tapedeck/internal/app/command/knownrecordings"
)

// transcripts are the files of a recording that are sessions of agents. They are recorded into the
// same streams as sync records them into.
type transcripts struct {
	*agenthistory.Named
	progress *agenthistory.Progress
}

// planTranscripts finds the sessions of agents among the files. It returns nil if there are none,
// or if the options require the files to be recorded in another way.
func (c *recordCommand) planTranscripts(
	ctx context.Context, g *global, rec *ingest.Recorder, so ingest.StreamOptions, list []file.Source,
) (*transcripts, error) {
	if c.Session != "" || c.Clock == "arrival" {
		return nil, nil
	}
	var paths []string
	for _, s := range list {
		if s.Err == nil && s.Path != "-" && (strings.HasSuffix(s.Path, ".jsonl") || strings.HasSuffix(s.Path, ".json")) {
			paths = append(paths, s.Path)
		}
	}
	if len(paths) == 0 {
		return nil, nil
	}
	progress, err := c.openProgress(ctx, g)
	if err != nil {
		return nil, err
	}
	opts := agenthistory.Options{
		Recorder:   rec,
		Tenant:     so.Tenant,
		Tags:       so.Tags,
		FrameLimit: c.FrameLimit,
		Progress:   progress,
	}
	if c.NATS == "" {
		opts.Known = knownrecordings.Uploaded(g.client)
	}
	t := &transcripts{agenthistory.New(opts).PlanNamed(paths), progress}
	if len(t.Order) == 0 {
		return nil, progress.Close()
	}
	progress.Hold() // hold the entries until the spool is empty
	return t, nil
}

// openProgress opens the progress of sync. It opens the progress read-only if another process holds
// its lock.
func (c *recordCommand) openProgress(ctx context.Context, g *global) (*agenthistory.Progress, error) {
	if c.NATS != "" {
		return agenthistory.NewProgress(), nil // the progress belongs to a server, and here there is none
	}
	home, err := outlet.SyncHome()
	if err != nil {
		return nil, err
	}
	progress, err := agenthistory.OpenProgress(home, g.Server, c.Tenant)
	if _, locked := errors.AsType[*agenthistory.LockedError](err); locked {
		return agenthistory.ReadProgress(home, g.Server, c.Tenant)
	}
	if err != nil {
		return nil, err
	}
	return progress, forgetLost(ctx, g, progress)
}

// source returns the source of a file that is to be recorded as a transcript, nil for any other
// file.
func (t *transcripts) source(path, dialect string) *agenthistory.Source {
	if t == nil {
		return nil
	}
	s := t.Source(path)
	if s == nil || dialect != "" && dialect != s.Dialect() {
		return nil
	}
	return s
}

// inOrder returns the files in the order in which they are recorded: first transcripts, the
// earliest begun first, and then the other files.
func (t *transcripts) inOrder(list []file.Source) []file.Source {
	if t == nil {
		return list
	}
	ordered := make([]file.Source, 0, len(list))
	for _, path := range t.Order {
		ordered = append(ordered, file.Source{Path: path})
	}
	for _, s := range list {
		if s.Err != nil || t.Source(s.Path) == nil {
			ordered = append(ordered, s)
		}
	}
	return ordered
}

// close closes the progress, and saves it first if everything that was recorded is on the server.
func (t *transcripts) close(sent bool) error {
	if t == nil {
		return nil
	}
	var err error
	if sent {
		err = t.progress.Release()
	}
	return errors.Join(err, t.progress.Close())
}

// recordPath records a file, either as a transcript or line by line.
func (c *recordCommand) recordPath(
	ctx context.Context, t *transcripts, label, path string, known func(digest string) error, rec *ingest.Recorder,
	so ingest.StreamOptions,
) (ingest.Summary, error) {
	if s := t.source(path, c.Dialect); s != nil {
		sum, err := t.Record(ctx, s, c.Again)
		if !ingest.IsDeleted(err) { // record a deleted session into a new stream
			return sum, err
		}
	}
	return c.tapFile(ctx, label, path, known, rec, so)
}
