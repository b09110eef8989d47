package main

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"tapedeck"
	"tapedeck/internal/apiclient"
	"tapedeck/internal/app/mcpserver"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
)

// mcpCommand answers questions about recordings to agents.
type mcpCommand struct {
	Run       mcpRun       `cmd:"" default:"1" hidden:"" help:"Answer on standard input and output. Clients run it."`
	Install   mcpInstall   `cmd:"" help:"Add the tools to the settings of a client."`
	Uninstall mcpUninstall `cmd:"" help:"Remove what install added."`
}

// Help implements kong.HelpProvider.
func (c *mcpCommand) Help() string {
	return `With these tools an agent finds sessions, reads what failed in them and compares them. "tapedeck mcp" speaks the Model Context Protocol on standard input and output and asks the server that --server names, with its token; a server has the same tools at /mcp.`
}

// mcpRun serves the tools on standard input and output.
type mcpRun struct{}

// Run ends when standard input ends.
func (c *mcpRun) Run(ctx context.Context, g *global) error {
	if console.IsTerminal(os.Stdin) {
		return commandline.Errorf(`standard input is a terminal: a client runs this command; "tapedeck mcp install claude" adds it to one`)
	}
	client, err := g.client()
	if err != nil {
		return err
	}
	s := mcpserver.New(tapedeck.Version(), func(context.Context) *apiclient.Client { return client }, nil)
	if err := s.Run(ctx, &mcp.StdioTransport{}); err != nil && !errors.Is(err, io.EOF) && ctx.Err() == nil {
		return err
	}
	return nil
}
