package main

import (
	"context"
	"os"
	"time"

	"tapedeck/internal/app/demo"
)

// demoCommand prints the output of a scripted agent, so that there is something to record.
type demoCommand struct {
	For     time.Duration `help:"How long the agent works at least." default:"20s" placeholder:"D"`
	Session string        `help:"The id that the agent gives its session." default:"demo-live" placeholder:"ID"`
}

// Help says what it is for.
func (demoCommand) Help() string {
	return `The output has the form of Claude Code's stream-json. Record it while it runs, and watch the session on its page:

    tapedeck record -- tapedeck demo --for 1m
`
}

// Run prints the lines at their times.
func (c *demoCommand) Run(ctx context.Context) error {
	return demo.Print(ctx, os.Stdout, demo.Live(c.Session, c.For))
}
