package main

import (
	"encoding/json"
	"fmt"
	"os"

	"tapedeck/internal/app/lifecycle/backup"
	"tapedeck/internal/console"
)

type backupPrune struct {
	Backups string `help:"Directory of the backups." required:"" env:"TAPEDECK_BACKUPS" placeholder:"DIR" type:"existingdir"`
	Keep    int    `help:"How many of the latest backups to keep. The backups that they continue are kept as well." required:"" placeholder:"N"`
	DryRun  bool   `help:"Remove nothing, and print what would be removed."`
}

// Run removes old backups.
func (c *backupPrune) Run(g *global) error {
	removed, err := backup.Prune(c.Backups, c.Keep, c.DryRun)
	if err != nil {
		return err
	}
	if g.JSON {
		return json.NewEncoder(os.Stdout).Encode(map[string]any{"removed": append([]string{}, removed...)})
	}
	for _, name := range removed {
		fmt.Println(name)
	}
	what := "removed"
	if c.DryRun {
		what = "would be removed"
	}
	fmt.Fprintf(console.To(os.Stderr), "%s %s\n", console.Count(len(removed), "backup"), what)
	return nil
}
