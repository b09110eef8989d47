package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"tapedeck/ingest/dialect"
	"tapedeck/ingest/dialect/custom"
	"tapedeck/ingest/dialect/dialects"
	"tapedeck/internal/app/command/dialecttrial"
	"tapedeck/internal/app/command/play"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
)

// dialectCommand checks and tries dialect files.
type dialectCommand struct {
	Check dialectCheckCommand `cmd:"" help:"Check a file that describes a protocol."`
	Try   dialectTryCommand   `cmd:"" help:"Show what such a file makes of a session or a capture, frame by frame. Nothing is recorded."`
}

// dialectCheckCommand checks dialect files.
type dialectCheckCommand struct {
	File []string `arg:"" predictor:"file" help:"The files."`
}

// Run reads the files.
func (c *dialectCheckCommand) Run(g *global) error {
	var failures []error
	for _, path := range c.File {
		m, err := readDialect(path)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		if g.JSON {
			_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"file": path, "name": m.Name, "rules": m.Rules()})
		} else {
			fmt.Fprintf(console.To(os.Stdout), "%s: dialect %s, %s\n", path, m.Name, console.Count(m.Rules(), "rule"))
		}
	}
	return commandline.As(errors.Join(failures...))
}

// readDialect reads a dialect file. The dialect's name must not be in use.
func readDialect(path string) (*custom.Mapping, error) {
	m, err := custom.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if err := dialects.SetCustom([]dialect.Dialect{m.Dialect()}); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// dialectTryCommand decodes frames by a dialect file.
type dialectTryCommand struct {
	File   string `arg:"" predictor:"file" help:"The file that describes the protocol."`
	Source string `arg:"" predictor:"session" name:"session" help:"What to read: a session's id, a tape file, or a file with the captured stream."`
	Quiet  bool   `help:"Print the totals alone." short:"q"`
	Of     string `help:"Which session of a tape file, where it holds several." name:"session" placeholder:"ID"`
}

// Run prints a line for each frame, then the totals.
func (c *dialectTryCommand) Run(ctx context.Context, g *global) error {
	m, err := readDialect(c.File)
	if err != nil {
		return commandline.As(err)
	}
	t := dialecttrial.New(os.Stdout, m, g.JSON, c.Quiet)
	if info, failed := os.Stat(c.Source); failed == nil && !info.IsDir() && !play.IsTape(c.Source) {
		err = t.Capture(ctx, c.Source)
	} else {
		err = t.Session(ctx, g.client, c.Source, c.Of)
	}
	if err != nil {
		return err
	}
	return t.Finish()
}
