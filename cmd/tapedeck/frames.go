package main

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strconv"

	"tapedeck/query"
)

// framesCommand lists a session's frames.
type framesCommand struct {
	Session   string   `arg:"" help:"The session's id."`
	Type      []string `help:"Only of this type." placeholder:"TYPE"`
	Node      []string `help:"Only of this node." placeholder:"ID"`
	Agent     []string `help:"Only of this agent." placeholder:"NAME"`
	Direction string   `help:"Only receive or send." placeholder:"DIR"`
	Cursor    string   `help:"Go on after this position." placeholder:"POS"`
	Limit     int      `help:"How many at most." default:"100" short:"n"`
	Raw       bool     `help:"Print the recorded bytes alone, all of them."`
}

// Run prints the frames.
func (c *framesCommand) Run(ctx context.Context, g *global) error {
	q := url.Values{}
	setAll(q, map[string][]string{
		"type": c.Type, "node": c.Node, "agent": c.Agent, "direction": {c.Direction}, "cursor": {c.Cursor},
	})
	path := sessionPath(c.Session, "frames")
	if c.Raw {
		cl, err := g.client()
		if err != nil {
			return err
		}
		q.Set("raw", "1")
		return cl.copy(ctx, path, q, "application/x-ndjson", os.Stdout)
	}
	q.Set("limit", strconv.Itoa(c.Limit))
	var page query.Page[query.Frame]
	if done, err := g.fetch(ctx, path, q, &page); done || err != nil {
		return err
	}
	t := newTable(os.Stdout, "offset", "seq", "direction", "type", "node", "event id", "bytes", "flags", "content")
	for i := range page.Items {
		f := &page.Items[i]
		t.row("+"+millis(f.OffsetMS), f.Seq, f.Direction, f.Type, f.NodeID, f.EventID, f.Size, joined(f.Flags), clip(content(f), 80))
	}
	if err := t.flush(); err != nil {
		return err
	}
	if page.Next != nil {
		fmt.Fprintf(os.Stderr, "There are more: --cursor %s\n", *page.Next)
	}
	return nil
}

func content(f *query.Frame) string {
	switch {
	case f.JSON != nil:
		return string(f.JSON)
	case f.Text != nil:
		return *f.Text
	case f.Base64 != nil:
		return "base64 " + *f.Base64
	}
	return ""
}
