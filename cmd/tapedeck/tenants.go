package main

import (
	"context"
	"fmt"
	"os"

	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/app/server"
)

// tenantsCommand lists tenants. A tenant has no entry of its own that could be created or deleted.
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
	return printers.Tenants(os.Stdout, page.Items)
}
