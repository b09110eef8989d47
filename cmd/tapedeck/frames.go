package main

import (
	"context"
	"fmt"
	"net/url"
	"os"

	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
)

// framesCommand lists a session's frames.
type framesCommand struct {
	Session   string   `arg:"" predictor:"session" help:"The session's id."`
	Type      []string `help:"Only of this type." placeholder:"TYPE"`
	Node      []string `help:"Only of this node." placeholder:"ID"`
	Agent     []string `help:"Only of this agent." placeholder:"NAME"`
	Direction string   `help:"Only receive or send." placeholder:"DIR"`
	Cursor    string   `help:"Go on after this position." placeholder:"POS"`
	Limit     *int     `help:"How many at most. Default: 100." placeholder:"N" short:"n"`
	Raw       bool     `help:"Print the recorded bytes alone, all of them."`
}

const (
	framesShown  = 100  // default of -n
	framesAtOnce = 5000 // the server's largest page; fewer if they are large
)

// Run prints the frames.
func (c *framesCommand) Run(ctx context.Context, g *global) error {
	q := url.Values{}
	setAll(q, map[string][]string{
		"type": c.Type, "node": c.Node, "agent": c.Agent, "direction": {c.Direction}, "cursor": {c.Cursor},
	})
	path, err := pathOf(c.Session, "frames")
	if err != nil {
		return err
	}
	if c.Raw {
		return c.printRaw(ctx, g, path, q)
	}
	limit := framesShown
	if c.Limit != nil {
		limit = *c.Limit
	}
	filtered := len(q) > 0
	var table printers.FrameTable
	shown, next, err := list(ctx, g, path, q, limit, framesAtOnce, table.Add)
	if err != nil || g.JSON {
		return err
	}
	if shown == 0 {
		printNone("frames", filtered)
		return nil
	}
	if err := table.Write(os.Stdout); err != nil {
		return err
	}
	if next != nil {
		fmt.Fprintf(os.Stderr, "There are more: -n %d, or --cursor %s\n", 10*limit, *next)
	}
	return nil
}

// printRaw prints the recorded bytes without anything else.
func (c *framesCommand) printRaw(ctx context.Context, g *global, path string, q url.Values) error {
	switch {
	case c.Limit != nil:
		return commandline.Errorf("--raw prints all frames from --cursor on: it goes without -n")
	case g.JSON:
		return commandline.Errorf("--raw goes without --json")
	}
	cl, err := g.client()
	if err != nil {
		return err
	}
	q.Set("raw", "1")
	return cl.Copy(ctx, path, q, "application/x-ndjson", console.Recorded(os.Stdout))
}
