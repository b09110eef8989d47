package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"

	"tapedeck/internal/app/settings"
	"tapedeck/internal/commandline"
	"tapedeck/internal/console"
)

// configCommand prints and checks a server's settings.
type configCommand struct {
	Print configPrint `cmd:"" help:"Print the settings that a server would run with, and where each comes from. Secrets are masked."`
	Check configCheck `cmd:"" help:"Check the settings of a server: exit code 0, or 2 with all problems."`
}

// configFor selects the server.
type configFor struct {
	For   string   `help:"The server: up or serve." enum:"up,serve" default:"serve" placeholder:"COMMAND"`
	Flags []string `help:"A flag of the server, like max-streams=100; may be repeated." name:"set" placeholder:"NAME=VALUE" sep:"none"`
	File  string   `arg:"" predictor:"file" optional:"" help:"The configuration file. Default: that of TAPEDECK_CONFIG." type:"path" xor:"file"`
	// Config is how servers name the file.
	Config string `help:"The same as FILE." name:"config" type:"path" placeholder:"FILE" xor:"file"`
}

type configPrint struct{ configFor }

type configCheck struct{ configFor }

// read reads the settings in the same way as the server.
func (c *configFor) read(ctx context.Context) (*invocation, error) {
	file := cmp.Or(c.File, c.Config)
	args := []string{c.For}
	if file != "" {
		args = append(args, "--config", file)
	}
	var wrong []error
	for _, f := range c.Flags {
		if _, err := parseInvocation(ctx, []string{c.For, "--" + f}); err != nil {
			wrong = append(wrong, err)
		} else {
			args = append(args, "--"+f)
		}
	}
	i, err := newInvocation(ctx, args)
	return i, errors.Join(append([]error{err}, wrong...)...)
}

// Run prints the settings.
func (c *configPrint) Run(ctx context.Context, g *global) error {
	i, err := c.read(ctx)
	if err != nil {
		return err
	}
	list := i.sources.Effective()
	if g.JSON {
		return json.NewEncoder(os.Stdout).Encode(map[string]any{"items": list, "next": nil})
	}
	t := console.NewTable(os.Stdout, "setting", "value", "from")
	for _, s := range list {
		t.Row(s.Name, s.Value, s.From)
	}
	return t.Flush()
}

// Run checks the settings.
func (c *configCheck) Run(ctx context.Context, g *global) error {
	i, err := c.read(ctx)
	if err != nil {
		return commandline.As(err)
	}
	set := slices.DeleteFunc(i.sources.Effective(), func(s settings.Effective) bool { return s.From.IsDefault() || s.Name == "config" })
	warnings := i.warnings(i.exposed())
	if g.JSON {
		return json.NewEncoder(os.Stdout).Encode(map[string]any{"ok": true, "set": len(set),
			"warnings": append([]string{}, warnings...)})
	}
	for _, text := range warnings {
		fmt.Fprintln(os.Stderr, "note: "+text)
	}
	fmt.Printf("tapedeck %s starts with these settings: %s from flags, the environment and the file, the others "+
		"by default\n", c.For, console.Count(len(set), "setting"))
	return nil
}
