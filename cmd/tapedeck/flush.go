package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"tapedeck/ingest/spool"
)

// flushCommand sends what recording commands left on disk.
type flushCommand struct {
	NATS string `help:"Publish to this NATS server rather than through the tapedeck server." name:"nats" env:"TAPEDECK_NATS" placeholder:"URL"`
}

// Run sends spool after spool. Those of commands that still record are theirs.
func (c *flushCommand) Run(ctx context.Context, g *global) error {
	slots, err := waitingSlots()
	if err != nil {
		return err
	}
	if len(slots) == 0 {
		fmt.Fprintln(os.Stderr, "Nothing waits to be sent.")
		return nil
	}
	for _, dir := range slots {
		if err := c.send(ctx, g, dir); err != nil {
			return err
		}
	}
	return nil
}

// send sends what is in one spool.
func (c *flushCommand) send(ctx context.Context, g *global, dir string) error {
	o := &outlet{log: stderrLog()}
	if err := o.connect(ctx, g, outletOptions{nats: c.NATS}); err != nil {
		return err
	}
	defer o.close()
	s, err := spool.Open(spool.Options{Dir: dir, Next: o.publisher, Log: o.log})
	if errors.Is(err, spool.ErrInUse) {
		fmt.Fprintf(os.Stderr, "%s belongs to a command that is recording, which sends it.\n", dir)
		return nil
	}
	if err != nil {
		return err
	}
	o.spool = s
	if err := o.drained(ctx); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "sent what waited in %s\n", dir)
	return nil
}

// waitingSlots lists the spools of recording commands in which something lies.
func waitingSlots() ([]string, error) {
	home, err := spoolHome()
	if err != nil {
		return nil, err
	}
	segments, err := filepath.Glob(filepath.Join(home, "*", "*.spool"))
	if err != nil {
		return nil, fmt.Errorf("look for spools in %s: %w", home, err)
	}
	var slots []string
	for _, s := range segments { // in order of their names
		if dir := filepath.Dir(s); len(slots) == 0 || slots[len(slots)-1] != dir {
			slots = append(slots, dir)
		}
	}
	return slots, nil
}
