package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"slices"

	"tapedeck/internal/app/command/knownrecordings"
	"tapedeck/internal/app/command/output"
	"tapedeck/internal/app/command/sessionexport"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
	"tapedeck/query/facts/sessionhead"
)

// exportCommand writes sessions to a file.
type exportCommand struct {
	Sessions []string `arg:"" predictor:"session" optional:"" name:"session" help:"The sessions: ids on the server, or tape files."`
	All      bool     `help:"All sessions of the tenant, the oldest first, to move it to another server."`
	Output   string   `help:"The file to write; - for standard output. Formats of text go there unless a file is named." short:"o" placeholder:"FILE"`
	Format   string   `help:"tape keeps everything, of several sessions; the others are for other tools: the recorded frames as ndjson or sse, what was said as an asciicast, proxied HTTP as har, spans as otlp (OpenTelemetry) or trace (Perfetto), steps as atif (a trajectory for evaluation tools); html is a file that plays the session in a browser, with secrets masked, and player is its recording alone, as JSON for player.js." enum:"tape,ndjson,sse,asciicast,har,html,player,otlp,trace,atif" default:"tape" placeholder:"tape|ndjson|sse|asciicast|har|html|player|otlp|trace|atif"`
	Content  bool     `help:"Write what was said, arguments and results of tools and texts of errors to --format otlp as well, as they were recorded."`
	Session  string   `help:"Which session of a tape file, for the formats that take one." placeholder:"ID"`
	NoNotes  bool     `help:"Leave the notes of the sessions out of the tape." name:"no-notes"`
	Force    bool     `help:"Write over a file that is there." short:"f"`
}

// Run writes the file.
func (c *exportCommand) Run(ctx context.Context, g *global) error {
	switch {
	case c.All && len(c.Sessions) > 0:
		return commandline.Errorf("--all takes every session of the tenant: name none, or leave it out")
	case c.All && c.Format != "tape":
		return commandline.Errorf("--all writes a tape: --format %s takes one session at a time", c.Format)
	case !c.All && len(c.Sessions) == 0:
		return commandline.Errorf("name the sessions, ids on the server or tape files, or take all with --all")
	case g.JSON:
		return commandline.Errorf("--json is for commands that print: export writes what --format names")
	case c.Format == "tape" && c.Output == "":
		return commandline.Errorf("name the file to write with -o FILE, or -o - for standard output")
	case c.Format == "tape" && c.Output == "-" && console.IsTerminal(os.Stdout):
		return commandline.Errorf("a tape is no text: name the file to write with -o FILE, or pass standard output on to a file or a command")
	case c.Format == "tape" && c.Session != "":
		return commandline.Errorf("--session goes with another --format: a tape takes all sessions of a file")
	case c.Content && c.Format != "otlp":
		return commandline.Errorf("--content goes with --format otlp")
	case c.NoNotes && c.Format != "tape":
		return commandline.Errorf("--no-notes goes with a tape: the other formats have no notes")
	case c.Format != "tape" && len(c.Sessions) > 1:
		return commandline.Errorf("--format %s takes one session at a time", c.Format)
	}
	if c.All {
		if err := c.findAll(ctx, g); err != nil {
			return err
		}
	}
	out, err := output.Create(c.Output, c.Force)
	if err != nil {
		return err
	}
	export := sessionexport.Export{Format: c.Format, Sessions: c.Sessions, Session: c.Session, Server: g.client,
		All: c.All, Content: c.Content, NoNotes: c.NoNotes, Version: version, Notes: os.Stderr}
	said, err := export.Write(ctx, out)
	if err != nil && ctx.Err() != nil {
		err = errors.Join(errors.New("interrupted"), err)
	}
	if err = out.Finish(err); err != nil {
		return err
	}
	if !out.IsStdout() && said != "" {
		fmt.Fprintf(console.To(os.Stderr), "wrote %s: %s\n", c.Output, said)
	}
	if export.Gone > 0 {
		return fmt.Errorf("%s of the tenant had no frames any more and are not on the tape", console.Count(export.Gone, "session"))
	}
	return nil
}

// findAll lists all sessions of the tenant.
func (c *exportCommand) findAll(ctx context.Context, g *global) error {
	_, _, err := list(ctx, g, "v1/sessions", url.Values{}, math.MaxInt, knownrecordings.SessionsAtOnce, func(s *sessionhead.Summary) {
		c.Sessions = append(c.Sessions, s.ID)
	})
	slices.Reverse(c.Sessions)
	if err == nil && len(c.Sessions) == 0 {
		err = errors.New("the tenant has no sessions")
	}
	return err
}
