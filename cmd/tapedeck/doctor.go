package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"tapedeck/internal/app/command/doctor"
	"tapedeck/internal/console"
	"tapedeck/internal/local/datadir"
)

// doctorCommand checks an installation, a ClickHouse cluster, and recorded usage.
type doctorCommand struct {
	Installation doctorInstallationCommand `cmd:"" default:"withargs" help:"Check the installation; print what is wrong and what to do."`
	Cluster      doctorClusterCommand      `cmd:"" help:"Check that a ClickHouse cluster can be written, read and deleted from, with rows of a tenant of its own."`
	Usage        doctorUsageCommand        `cmd:"" help:"Check recorded usage against what streams state as their totals, or against a provider's export."`
}

// doctorInstallationCommand checks an installation.
type doctorInstallationCommand struct {
	Data string `help:"Data directory to check. Default: tapedeck in the XDG data home." placeholder:"DIR" type:"path"`
}

// Run performs all checks and prints the findings. It fails if a finding is a problem.
func (c *doctorInstallationCommand) Run(ctx context.Context, g *global) error {
	dir := c.Data
	if dir == "" {
		var err error
		if dir, err = datadir.Default(); err != nil {
			return err
		}
	}
	findings, wrong := doctor.Check(ctx, dir, g.client)
	return printFindings(g, findings, wrong)
}

// printFindings prints a line for each finding. It returns an exit code if wrong is not 0.
func printFindings(g *global, findings []doctor.Finding, wrong int) error {
	if g.JSON {
		if err := json.NewEncoder(os.Stdout).Encode(map[string]any{"ok": wrong == 0, "findings": findings}); err != nil {
			return err
		}
	} else {
		w := console.To(os.Stdout)
		for _, f := range findings {
			mark := "ok   "
			if !f.OK {
				mark = "WRONG"
			}
			fmt.Fprintf(w, "%s  %-15s %s\n", mark, f.What, f.Detail)
			if f.Do != "" {
				fmt.Fprintf(w, "       %-15s → %s\n", "", f.Do)
			}
		}
	}
	if wrong > 0 {
		return exitCode(exitFailed)
	}
	return nil
}
