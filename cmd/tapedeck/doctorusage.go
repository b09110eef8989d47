package main

import (
	"context"

	"tapedeck/internal/usage"
)

// doctorUsageCommand checks recorded usage.
type doctorUsageCommand struct {
	exportFlags
	Limit int `help:"How many differences to list at most." default:"50" short:"n" placeholder:"N"`
}

// Run compares and prints the differences. It fails if there are any.
func (c *doctorUsageCommand) Run(ctx context.Context, g *global) error {
	if c.Limit < 1 {
		return usage.Errorf("--limit %d: it must be 1 or more", c.Limit)
	}
	if c.Export == "" {
		return usage.Errorf("doctor usage needs --export FILE")
	}
	return c.compare(ctx, g, c.Limit)
}
