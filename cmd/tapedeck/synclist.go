package main

import (
	"context"
	"encoding/json"
	"os"
	"time"

	"tapedeck/ingest/delivery/outlet"
	"tapedeck/ingest/tap/agenthistory"
	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/app/settings"
)

type syncList struct{ syncPlaces }

// Run lists the files that were found.
func (c *syncList) Run(ctx context.Context, g *global) error { return c.list(ctx, g, false) }

// listed is a file in the list.
type listed struct {
	Agent    agenthistory.Agent `json:"agent"`
	State    agenthistory.State `json:"state"`
	Size     int64              `json:"size"`
	Modified time.Time          `json:"modified"`
	Session  string             `json:"session"`
	Project  string             `json:"project"`
	Branch   string             `json:"branch"`
	Path     string             `json:"path"`
}

// list prints the files that were found. If toRecord is set, it prints only the files that would be
// recorded.
func (c *syncPlaces) list(ctx context.Context, g *global, toRecord bool) error {
	progress, err := c.readProgress(ctx, g)
	if err != nil {
		return err
	}
	found, err := agenthistory.Find(c.From)
	if err != nil {
		return err
	}
	progress.Plan(found)
	var list []*agenthistory.Source
	for _, s := range found.Sources {
		if !toRecord || s.Pending() {
			list = append(list, s)
		}
	}
	if !g.JSON {
		return printers.Sources(os.Stdout, os.Stderr, list, found, toRecord)
	}
	items := []listed{}
	for _, s := range list {
		items = append(items, listed{s.Agent, s.State, s.Size, s.Modified, s.Session, s.Project, s.Branch, s.Path})
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"items": items, "next": nil,
		"problems": append([]agenthistory.Problem{}, found.Problems...)})
}

// readProgress reads the progress for the tenant of the token.
func (c *syncPlaces) readProgress(ctx context.Context, g *global) (*agenthistory.Progress, error) {
	if err := checkStream(c.Tenant, "", ""); err != nil {
		return nil, err
	}
	if _, err := g.client(); err != nil { // also reads the token
		return nil, err
	}
	if g.Token != "" {
		out, err := openOutlet(ctx, g, &settings.NATSClient{}, outlet.Options{NoSpool: true})
		if err != nil {
			return nil, err
		}
		defer out.Close()
		if err := checkTenant(out, &c.Tenant); err != nil {
			return nil, err
		}
	}
	home, err := outlet.SyncHome()
	if err != nil {
		return nil, err
	}
	return agenthistory.ReadProgress(home, g.Server, c.Tenant)
}
