package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"tapedeck/internal/app/command/statusline"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
)

// statuslineCommand prints the status line of Claude Code.
type statuslineCommand struct {
	Wait time.Duration `help:"How long to wait for the server. Without its answer the line says so." default:"25ms" placeholder:"D"`
}

// Help implements kong.HelpProvider.
func (c *statuslineCommand) Help() string {
	return `Claude Code runs it with the state of its session on standard input. In ~/.claude/settings.json:

  "statusLine": {"type": "command", "command": "tapedeck statusline"}

The line has the model, the tokens and the cost of the session and of today as the server has recorded them, how much of the context is used, and how much of the plan's limits, as far as Claude Code states them. A session that is not recorded has the cost that Claude Code states.`
}

// Run prints the line.
func (c *statuslineCommand) Run(ctx context.Context, g *global) error {
	if c.Wait <= 0 {
		return commandline.Errorf("--wait %v: it must be above 0s, as 25ms", c.Wait)
	}
	if console.IsTerminal(os.Stdin) {
		return commandline.Errorf("standard input is a terminal: Claude Code runs this command, see \"tapedeck statusline --help\"")
	}
	in, err := statusline.Read(os.Stdin)
	if err != nil {
		return err
	}
	now := time.Now()
	recorded := &statusline.Recorded{Away: "server not usable"} // the address, the token or a certificate is wrong
	if client, err := g.client(); err == nil {
		ctx, cancel := context.WithTimeout(ctx, c.Wait)
		defer cancel()
		recorded = statusline.Ask(ctx, client, in.SessionID, now)
	}
	_, err = fmt.Fprintln(console.To(os.Stdout), statusline.Line(in, recorded, now))
	return err
}
