package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"

	"tapedeck/internal/app/command/redecode"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
)

// redecodeCommand makes a server derive the facts of sessions again.
type redecodeCommand struct {
	Dialect  string   `predictor:"dialect" help:"Read every stream of the sessions as this dialect. Default: each as what it is recognised as. With --all: only sessions with a stream of this dialect." placeholder:"NAME"`
	Sessions []string `arg:"" predictor:"session" optional:"" name:"session" help:"The sessions."`

	All  bool     `help:"Decode all sessions whose facts are from decoders of an earlier version than the server's. Repeated after an interruption it goes on with what is left."`
	From timeFlag `help:"With --all: only sessions started at this time or later: RFC 3339, a date, now-24h or 7d, today, yesterday, this-month or last-month." placeholder:"TIME" aliases:"since"`
	To   timeFlag `help:"With --all: only sessions started before this time." placeholder:"TIME" aliases:"until"`

	DialectFile string `help:"A file that describes a protocol (docs/dialects/custom.md). It is sent to the server, which takes its dialect among those that it knows, for these sessions." placeholder:"FILE"`
}

// Run decodes one session after another. A failure does not stop the others.
func (c *redecodeCommand) Run(ctx context.Context, g *global) error {
	if err := c.check(); err != nil {
		return err
	}
	file, err := c.dialectFile()
	if err != nil {
		return err
	}
	cl, err := g.client()
	if err != nil {
		return err
	}
	cl.WithoutTimeout() // the server answers after it has decoded the session
	r := redecode.Request{Client: cl, File: file}
	if c.All {
		return c.all(ctx, g, r)
	}
	q := url.Values{}
	setAll(q, map[string][]string{"dialect": {c.Dialect}})
	t := console.NewTable(os.Stdout, "session", "stream", "dialect", "frames", "spans", "messages", "usages",
		"recognised by")
	var failures []error
	var unended []string
	results := []json.RawMessage{}
	for _, id := range c.Sessions {
		answer, result, err := r.Decode(ctx, id, q)
		if err != nil {
			failures = append(failures, fmt.Errorf("session %s: %w", id, err))
			if ctx.Err() != nil {
				break
			}
			continue
		}
		results = append(results, answer)
		for i := range result.Streams {
			s := &result.Streams[i]
			t.Row(console.Clip(id, 40), s.ID, s.DialectBefore+" → "+s.DialectAfter, console.Thousands(s.Frames),
				console.Thousands(s.Spans), console.Thousands(s.Messages), console.Thousands(s.Usages), console.Clip(s.Evidence, 60))
			if !s.Ended {
				unended = append(unended, s.ID)
			}
		}
	}
	if g.JSON {
		err = json.NewEncoder(os.Stdout).Encode(map[string]any{"items": results, "next": nil})
	} else if len(results) > 0 {
		err = t.Flush()
	}
	printUnended(unended)
	return errors.Join(append(failures, err)...)
}

// check returns an error for incompatible flags.
func (c *redecodeCommand) check() error {
	switch {
	case c.All && len(c.Sessions) > 0:
		return commandline.Errorf("--all decodes all outdated sessions: name sessions without it")
	case !c.All && len(c.Sessions) == 0:
		return commandline.Errorf("name a session, or use --all for all outdated ones")
	case !c.All && c.From+c.To != "":
		return commandline.Errorf("--from and --to need --all")
	}
	return nil
}

// printUnended prints the streams without a recorded end.
func printUnended(streams []string) {
	for _, id := range streams {
		fmt.Fprintf(os.Stderr, "Stream %s never said that it ended. Should it go on after all, decode its session again at its end.\n", id)
	}
}

// dialectFile reads the file in --dialect-file, nil without one.
func (c *redecodeCommand) dialectFile() ([]byte, error) {
	if c.DialectFile == "" {
		return nil, nil
	}
	if _, err := readDialect(c.DialectFile); err != nil {
		return nil, commandline.As(err)
	}
	return os.ReadFile(c.DialectFile)
}
