package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"tapedeck/ingest/delivery/outlet"
	"tapedeck/ingest/tap/agenthistory"
	"tapedeck/internal/app/command/knownrecordings"
	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/app/settings"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
)

// syncCommand records the sessions of coding agents.
type syncCommand struct {
	Record syncRecord `cmd:"" default:"withargs" help:"Record what is new of the sessions of coding agents: Claude Code, Codex, Gemini CLI, OpenCode and others."`
	List   syncList   `cmd:"" help:"List the files that were found, each with its state: new, grown, stored …"`
}

// syncPlaces holds the flags that select folders and tenant.
type syncPlaces struct {
	From   []string `help:"Search this folder instead of the folders of the agents; may be repeated." placeholder:"DIR" type:"existingdir" sep:"none"`
	Tenant string   `help:"The tenant." default:"default" placeholder:"T"`
}

type syncRecord struct {
	syncPlaces
	settings.Redaction
	Watch      bool     `help:"Keep recording what is added, until interrupted."`
	DryRun     bool     `help:"List what would be recorded, and record nothing."`
	Session    string   `help:"Record this session alone, with its sub-agents; the list of 'tapedeck sync list' has the ids." placeholder:"ID"`
	Tag        []string `help:"Tag the sessions; may be repeated. The tags agent, project and branch are set from the files if known." placeholder:"K=V" sep:"none"`
	FrameLimit int      `help:"Largest frame, bytes; a longer line is kept in pieces." default:"16777216"`
	waitFlags
}

// Run records new content, and with --watch later content as well.
func (c *syncRecord) Run(ctx context.Context, g *global) error {
	spareGC()
	boundHeap()
	if err := errors.Join(checkStream(c.Tenant, "", ""), c.checkWait()); err != nil {
		return err
	}
	tags, err := parseTags(c.Tag)
	if err != nil {
		return err
	}
	if c.Session != "" && (c.DryRun || c.Watch) {
		return commandline.Errorf("--session cannot be combined with --dry-run or --watch")
	}
	if c.DryRun {
		return c.list(ctx, g, true)
	}
	rules, err := c.Engine()
	if err != nil {
		return err
	}
	out, err := openOutlet(ctx, g, &settings.NATSClient{}, outlet.Options{NoSpool: true, Redact: rules})
	if err != nil {
		return err
	}
	defer out.Close()
	if err := checkTenant(out, &c.Tenant); err != nil {
		return err
	}
	home, err := outlet.SyncHome()
	if err != nil {
		return err
	}
	progress, err := agenthistory.OpenProgress(home, g.Server, c.Tenant)
	if err != nil {
		return err
	}
	defer progress.Close()
	if err := forgetLost(ctx, g, progress); err != nil {
		return err
	}
	opts := agenthistory.Options{Recorder: out.Recorder(), Tenant: c.Tenant, Tags: tags, From: c.From, Session: c.Session, FrameLimit: c.FrameLimit, Progress: progress, Known: knownrecordings.Uploaded(g.client)}
	return c.sync(ctx, g, opts)
}

func (c *syncRecord) sync(ctx context.Context, g *global, opts agenthistory.Options) error {
	var files, frames atomic.Uint64
	var done, size atomic.Int64
	opts.Planned = func(_ int, bytes int64) { size.Store(bytes) }
	opts.Recorded = func(s *agenthistory.Source, n uint64) { files.Add(1); frames.Add(n); done.Add(s.Size) }
	began := time.Now()
	syncer := agenthistory.New(opts)
	shown := console.ShowProgress(func() string {
		return strings.TrimSpace(fmt.Sprintf("%s recorded, %s  %s", console.Count(files.Load(), "file"),
			console.Count(frames.Load(), "frame"), console.Part(done.Load(), size.Load(), began)))
	})
	res, err := syncer.Run(ctx)
	shown.End()
	if res == nil {
		return err
	}
	if c.Session != "" && err == nil && res.Files == 0 && res.Failed == 0 {
		return fmt.Errorf("no file of the session %s was found: \"tapedeck sync list\" lists the sessions", console.Visible(c.Session, ""))
	}
	took := time.Since(began)
	waiting := knownrecordings.Waiting{}
	if res.Recorded > 0 {
		waiting = c.waitReadable(ctx, g, "")
	}
	interrupted := ctx.Err() != nil
	failed := reportSync(g, res, took, interrupted, &waiting)
	if late := c.reportWaiting(g, &waiting); failed == nil {
		failed = late
	}
	switch {
	case err != nil && !interrupted:
		return err
	case !c.Watch || interrupted:
		return failed
	}
	fmt.Fprintln(console.To(os.Stderr), "watching for changes; end with Ctrl-C")
	return syncer.Watch(ctx, func(res *agenthistory.Result) { _ = reportWatch(g, res) })
}

// forgetLost clears the progress if the server has none of the sessions that were recorded.
func forgetLost(ctx context.Context, g *global, p *agenthistory.Progress) error {
	lost, err := knownrecordings.Lost(ctx, g.client, p)
	if err != nil || !lost {
		return err
	}
	fmt.Fprintf(console.To(os.Stderr), "note     %s does not have the sessions recorded before: all are recorded again\n", g.Server)
	return p.Forget()
}

// reportSync prints the result of a run. It returns an exit code as an error if a file could not be
// recorded or the run was interrupted.
func reportSync(g *global, res *agenthistory.Result, took time.Duration, interrupted bool, waiting *knownrecordings.Waiting) error {
	if g.JSON {
		answer := struct {
			*agenthistory.Result
			Unread *knownrecordings.Waiting `json:"unreadable"`
		}{res, waiting}
		if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
			return err
		}
	} else {
		printers.Sync(os.Stderr, res, took, interrupted)
	}
	if res.Failed > 0 || interrupted {
		return exitCode(exitFailed)
	}
	return nil
}

// reportWatch prints what one poll of --watch recorded.
func reportWatch(g *global, res *agenthistory.Result) error {
	if g.JSON {
		return json.NewEncoder(os.Stdout).Encode(res)
	}
	printers.SyncChanges(os.Stderr, res)
	return nil
}
