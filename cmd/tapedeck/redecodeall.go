package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"tapedeck/internal/app/command/redecode"
	"tapedeck/internal/console"
)

// all decodes the outdated sessions and reports the outcome.
func (c *redecodeCommand) all(ctx context.Context, g *global, request redecode.Request) error {
	r := &redecode.Outdated{Request: request, From: c.From.utc(), To: c.To.utc(), Dialect: c.Dialect, Answers: g.JSON}
	shown := console.ShowProgress(r.Progress)
	err := r.Run(ctx)
	shown.End()
	if ctx.Err() != nil {
		err = errors.New("redecode --all was interrupted: what is decoded stays so, and the same command goes on with the rest")
	}
	return errors.Join(reportOutdated(g, r.Report()), err)
}

// reportOutdated prints which sessions were decoded, and returns the failures.
func reportOutdated(g *global, r *redecode.Report) error {
	var err error
	if g.JSON {
		err = json.NewEncoder(os.Stdout).Encode(map[string]any{"items": r.Results, "next": nil})
	} else {
		fmt.Printf("%s decoded again, %s; %s of %s left\n", console.Count(r.Decoded, "session"),
			console.Count(r.Frames, "frame"),
			console.Thousands(r.Left), console.Count(r.Total, "outdated session"))
	}
	printUnended(r.Unended)
	if len(r.Live) > 0 {
		fmt.Fprintf(os.Stderr, "Still being recorded and left alone, to be decoded by a later run: %s\n",
			strings.Join(r.Live, ", "))
	}
	return errors.Join(append(r.Failures, err)...)
}
