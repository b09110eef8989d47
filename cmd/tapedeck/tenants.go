package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"tapedeck/deploy/printers"
	"tapedeck/deploy/server"
	"tapedeck/internal/console"
)

// tenantsCommand lists tenants. A tenant has no entry of its own that could be made or deleted.
type tenantsCommand struct {
	List tenantsList `cmd:"" default:"withargs" help:"List the tenants: to administrators of the server all of them, to others their own."`
}

type tenantsList struct{}

// Run lists the tenants.
func (c *tenantsList) Run(ctx context.Context, g *global) error {
	var page struct{ Items []server.Tenant }
	if done, err := g.fetch(ctx, "v1/tenants", nil, &page); done || err != nil {
		return err
	}
	if len(page.Items) == 0 {
		fmt.Println("No tenants.")
		return nil
	}
	t := console.NewTable(os.Stdout, "tenant", "last frame", "valid tokens", "last used", "settings")
	for i := range page.Items {
		one := &page.Items[i]
		t.Row(one.Name, printers.TimeOr(one.LastFrame, "none"), one.Tokens, printers.TimeOr(one.LastUsed, "never"), settingsOf(one))
	}
	return t.Flush()
}

// settingsOf names what is set for a tenant beside its tokens.
func settingsOf(t *server.Tenant) string {
	var names []string
	for _, s := range []struct {
		name string
		has  bool
	}{{"retention", t.Retention}, {"bills", t.Bills}, {"prices", t.Prices}} {
		if s.has {
			names = append(names, s.name)
		}
	}
	return strings.Join(names, ", ")
}
