package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"tapedeck/ingest/delivery/outlet"
	"tapedeck/internal/app/command/background"
	"tapedeck/internal/app/command/statusline"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
)

// statuslineCommand prints the status line of Claude Code. With Ask it is the process in the
// background that asks the server.
type statuslineCommand struct {
	Ask string `hidden:"" help:"Ask the server about this session, and print nothing." placeholder:"SESSION"`
}

// Help implements kong.HelpProvider.
func (c *statuslineCommand) Help() string {
	return `Claude Code runs it with the state of its session on standard input. In ~/.claude/settings.json:

  "statusLine": {"type": "command", "command": "tapedeck statusline"}

The line has the model, the tokens and the cost of the session and of today as the server has recorded them, how much of the context is used, and how much of the plan's limits, as far as Claude Code states them, or else the stream that was recorded of the session. A session that is not recorded has the cost that Claude Code states. The line does not wait for the server: a process in the background asks it, every five seconds at most, and the next line has the answer.`
}

// answerWait is how long the process in the background waits for the server.
const answerWait = 20 * time.Second

// Run prints the line.
func (c *statuslineCommand) Run(ctx context.Context, g *global) error {
	home, err := outlet.SyncHome()
	if err != nil {
		return err
	}
	home = filepath.Dir(home)
	if c.Ask != "" {
		return c.ask(ctx, g, home)
	}
	if console.IsTerminal(os.Stdin) {
		return commandline.Errorf("standard input is a terminal: Claude Code runs this command, see \"tapedeck statusline --help\"")
	}
	in, err := statusline.Read(os.Stdin)
	if err != nil {
		return err
	}
	now := time.Now()
	recorded, ask := statusline.NewKept(home, g.Server, g.AsTenant, in.SessionID).Read(now)
	_, err = fmt.Fprintln(console.To(os.Stdout), statusline.Line(in, recorded, now))
	if ask && in.SessionID != "" {
		if program, err := os.Executable(); err == nil { // otherwise the line keeps what is known
			_ = background.Start(filepath.Join(home, "statusline.log"), program, g.variables(), []string{"statusline", "--ask=" + in.SessionID})
		}
	}
	return err
}

// ask keeps the server's answer for the next lines.
func (c *statuslineCommand) ask(ctx context.Context, g *global, home string) error {
	recorded := &statusline.Recorded{Away: "server not usable"} // the address, the token or a certificate is wrong
	if client, err := g.client(); err == nil {
		ctx, cancel := context.WithTimeout(ctx, answerWait)
		defer cancel()
		recorded = statusline.Ask(ctx, client, c.Ask, time.Now())
	}
	return statusline.NewKept(home, g.Server, g.AsTenant, c.Ask).Write(recorded, time.Now())
}

// variables returns the environment variables with which another process asks the same server as
// this one. They are no arguments, since others can read those in a list of processes. An empty
// variable overrides an inherited one, and counts as not set.
func (g *global) variables() []string {
	return []string{
		"TAPEDECK_SERVER=" + g.Server, "TAPEDECK_TENANT=" + g.AsTenant,
		"TAPEDECK_TOKEN=" + g.Token, "TAPEDECK_TOKEN_FILE=" + g.TokenFile,
		"TAPEDECK_CA=" + g.CA, "TAPEDECK_CLIENT_CERT=" + g.ClientCert, "TAPEDECK_CLIENT_KEY=" + g.ClientKey,
	}
}
