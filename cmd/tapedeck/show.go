package main

import (
	"context"
	"encoding/json"
	"os"

	"tapedeck/internal/apiclient"
	"tapedeck/internal/app/command/knownrecordings"
	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/console"
	"tapedeck/query/session/sessiondetail"
	"tapedeck/query/session/timeline"
)

// showCommand shows one session.
type showCommand struct {
	Session string `arg:"" predictor:"session" help:"The session's id."`
	Text    bool   `help:"Print the whole transcript."`
}

// Run prints the session: its runs with their spans and
// tokens, its messages, and inconsistencies.
func (c *showCommand) Run(ctx context.Context, g *global) error {
	path, err := pathOf(c.Session)
	if err != nil {
		return err
	}
	cl, err := g.client()
	if err != nil {
		return err
	}
	var (
		detail   sessiondetail.Detail
		timeline timeline.Timeline
	)
	if err := cl.Get(ctx, path, nil, &detail); err != nil {
		return err
	}
	if err := cl.Get(ctx, apiclient.SessionPath(c.Session, "timeline"), nil, &timeline); err != nil {
		return err
	}
	messages, err := knownrecordings.Transcript(ctx, cl, c.Session)
	if err != nil {
		return err
	}
	if g.JSON {
		return json.NewEncoder(console.Recorded(os.Stdout)).Encode(map[string]any{
			"session": &detail, "timeline": &timeline, "transcript": messages,
		})
	}
	return printers.Session(os.Stdout, &detail, &timeline, messages, c.Text)
}
