package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// commandGroups are the groups of commands in the help of the program, in the order of the struct
// cli.
var commandGroups = []kong.Group{
	{Key: "record", Title: "Start and record:"},
	{Key: "look", Title: "Find and play:"},
	{Key: "report", Title: "Report:"},
	{Key: "share", Title: "Use elsewhere:"},
	{Key: "keep", Title: "Change what is stored:"},
	{Key: "operate", Title: "Operate:"},
}

// foldedCommands are commands that the help of the program names in one line.
var foldedCommands = []string{"alerts", "archive", "completion", "flush", "forward", "health", "statusline", "tenants", "version"}

// flagsCommand has no function but its help, which lists the flags that every command takes.
type flagsCommand struct{}

// Run prints how to read the list.
func (flagsCommand) Run() error {
	fmt.Println(`"tapedeck help flags" lists the flags that every command takes.`)
	return nil
}

// printHelp prints the help of a command: its own flags, and where those are listed that every
// command takes. The help of the program lists the commands by groups.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	selected := ctx.Selected()
	if selected != nil && selected.Name == "flags" {
		return kong.DefaultHelpPrinter(options, ctx)
	}
	for _, f := range ctx.Model.Flags {
		f.Hidden = true
	}
	options.NoExpandSubcommands = selected == nil
	if selected == nil {
		for _, command := range ctx.Model.Children {
			command.Hidden = command.Hidden || slices.Contains(foldedCommands, command.Name)
		}
	}
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	if selected != nil && selected.DefaultCmd != nil {
		if err := printDefault(options, ctx, selected); err != nil {
			return err
		}
	}
	flags := "\nEvery command takes --server, --json and others: \"tapedeck help flags\".\n"
	if selected == nil {
		last := len(foldedCommands) - 1
		flags = "Also: " + strings.Join(foldedCommands[:last], ", ") + ",\n" + foldedCommands[last] +
			". Every command takes --server, --json and others: \"help flags\".\n"
	}
	_, err := io.WriteString(ctx.Stdout, flags)
	return err
}

// printDefault prints the help of the command that runs if none of those below a node is named.
func printDefault(options kong.HelpOptions, ctx *kong.Context, node *kong.Node) error {
	_, err := fmt.Fprintf(ctx.Stdout, "\n%q alone is %q:\n\n", node.FullPath(), node.DefaultCmd.FullPath())
	if err != nil {
		return err
	}
	below, err := kong.Trace(ctx.Kong, strings.Fields(node.DefaultCmd.Path()))
	if err != nil {
		return err
	}
	return kong.DefaultHelpPrinter(options, below)
}
