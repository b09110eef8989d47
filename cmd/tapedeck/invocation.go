package main

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"tapedeck/internal/app/settings"
)

// invocation is a parsed command line, with the settings that come from the environment and the
// configuration file.
type invocation struct {
	args    []string
	cli     cli
	parser  *kong.Kong
	context *kong.Context
	sources *settings.Sources
	logged  settings.LogOutput // log of a server
}

// newInvocation parses a command line and checks its settings. Commands with a parameter
// *invocation receive it.
func newInvocation(ctx context.Context, args []string) (*invocation, error) {
	i, err := parseInvocation(ctx, args)
	if err != nil {
		return nil, err
	}
	var conflicts error
	switch i.context.Command() {
	case "up":
		conflicts = i.cli.Up.Conflicts()
	case "serve":
		conflicts = i.cli.Serve.Conflicts()
	}
	if err := i.sources.Check(i.context, conflicts); err != nil {
		return i, err
	}
	i.sources.FitMemory()
	return i, nil
}

// parseInvocation parses a command line.
func parseInvocation(ctx context.Context, args []string) (*invocation, error) {
	i := &invocation{args: args, sources: settings.NewSources()}
	i.parser = kong.Must(&i.cli, append(valueMappers(), kong.Name("tapedeck"),
		kong.Description("Record agent streams, play them at their own timing, report on them."),
		kong.BindTo(ctx, (*context.Context)(nil)), kong.Bind(&i.cli.global), kong.Bind(i), kong.ValueFormatter(helpValue),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}), kong.Help(printHelp), kong.ExplicitGroups(commandGroups), kong.Resolvers(i.sources))...)
	i.sources.TakeOver(i.parser.Model)
	completeLine(i.parser)
	var err error
	i.context, err = parse(i.parser, &i.cli, customary(args))
	return i, err
}

// customary replaces customary forms of asking for help and for the version by tapedeck's forms.
func customary(args []string) []string {
	switch {
	case len(args) == 0:
		return []string{"--help"}
	case args[0] == "help":
		return append(slices.Clone(args[1:]), "--help")
	case len(args) == 1 && strings.TrimLeft(args[0], "-") == "version":
		return []string{"version"}
	}
	return args
}

// warnings returns warnings for an operator about the settings of a server.
func (i *invocation) warnings(exposed []string) []string {
	return append(append(i.sources.Warnings(), exposed...), settings.UnknownVariables(i.parser.Model, os.Environ())...)
}

// exposed returns warnings about files with secrets.
func (i *invocation) exposed() []string {
	if i.context.Command() == "up" {
		return i.cli.Up.Exposed()
	}
	return i.cli.Serve.Exposed()
}
