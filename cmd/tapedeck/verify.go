package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"tapedeck/internal/app/lifecycle/backup"
	"tapedeck/internal/app/migration"
	"tapedeck/internal/app/settings"
	"tapedeck/internal/commandline"
	"tapedeck/internal/local"
	"tapedeck/internal/rootcause"
	"tapedeck/schema/clickhouse"
)

// verifyCommand checks a backup.
type verifyCommand struct {
	settings.ConfigFile
	settings.ClickHouseServer
	storageKey
	From    string `arg:"" help:"The backup, as it was named to \"tapedeck backup\"." placeholder:"NAME"`
	Backups string `help:"Directory of the backups: use a ClickHouse of this command's own, in a temporary directory. Without it --clickhouse names one, where a database of its own is used." env:"TAPEDECK_BACKUPS" placeholder:"DIR" type:"path"`
}

// Run restores a backup to a separate database, and compares every session with its manifest.
func (c *verifyCommand) Run(ctx context.Context, g *global) (err error) {
	from, err := c.place(c.From)
	if err != nil {
		return err
	}
	log := stderrLog()
	var dsn, backups string
	if c.Backups != "" {
		if info, err := os.Stat(c.Backups); err != nil || !info.IsDir() {
			return commandline.Errorf("--backups: there is no directory %s: name the one that the backup was written to", c.Backups)
		}
		if err := from.CheckThere(c.Backups); err != nil {
			return err
		}
		// The directory is next to the backups, where there is room for them.
		dir, err := os.MkdirTemp(filepath.Dir(c.Backups), ".tapedeck-verify-")
		if err != nil {
			return fmt.Errorf("--backups: the backup is restored beside that directory, where none can be made "+
				"(%w): let this user write to %s", rootcause.Of(err), filepath.Dir(c.Backups))
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		servers, err := local.Start(ctx, local.Options{Dir: dir, Backups: c.Backups, Logger: log})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, servers.Close(context.WithoutCancel(ctx))) }()
		dsn, backups = servers.ClickHouseDSN(), servers.Backups()
	} else {
		if err := c.Complete(log); err != nil {
			return err
		}
		dsn = c.ClickHouse
	}
	db, err := clickhouse.Open(dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.Ping(ctx); err != nil {
		if err = migration.Problem(dsn, err); c.Backups == "" {
			err = fmt.Errorf("%w\nA backup of \"tapedeck up\" is verified with --backups DIR, the directory of its backups", err)
		}
		return err
	}
	var steps stepPrinter
	r, err := backup.Restore(ctx, backup.RestoreOptions{DB: db, From: from, Dir: backups, Drill: true, Step: steps.show})
	steps.end()
	if err != nil {
		return showDifferences(g, err)
	}
	return showRestored(g, r, "verified "+c.From)
}
