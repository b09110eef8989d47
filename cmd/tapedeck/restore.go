package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/nats-io/nats.go"

	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/app/lifecycle/backup"
	"tapedeck/internal/app/migration"
	"tapedeck/internal/app/settings"
	"tapedeck/internal/local"
	"tapedeck/internal/local/datadir"
	"tapedeck/schema/clickhouse"
)

// restoreCommand restores a backup into an empty installation.
type restoreCommand struct {
	settings.ConfigFile
	settings.ClickHouseServer
	settings.NATSClient
	storageKey
	From     string `arg:"" help:"The backup, as it was named to \"tapedeck backup\"." placeholder:"NAME"`
	Data     string `help:"Restore into local mode's data directory, which no \"tapedeck up\" uses now. Without it --clickhouse and --nats name the servers." env:"TAPEDECK_DATA" placeholder:"DIR" type:"path"`
	Backups  string `help:"With --data: directory of the backups. Default: backups in the data directory." env:"TAPEDECK_BACKUPS" placeholder:"DIR" type:"path"`
	NATS     string `help:"NATS servers, which receive tokens, shared links and the last bills; none to leave them out." name:"nats" default:"nats://127.0.0.1:4222" secret:"url" env:"TAPEDECK_NATS" placeholder:"URL"`
	Into     string `help:"Restore into another database, which is made; tokens, links and bills are left out." name:"into-database" placeholder:"NAME"`
	Erasures string `help:"A later backup: what was erased until then stays erased." placeholder:"NAME"`
}

// Run restores a backup.
func (c *restoreCommand) Run(ctx context.Context, g *global) (err error) {
	from, err := c.place(c.From)
	if err != nil {
		return err
	}
	var steps stepPrinter
	defer steps.end()
	o := backup.RestoreOptions{From: from, Into: c.Into, Step: steps.show}
	if c.Erasures != "" {
		later, err := c.place(c.Erasures)
		if err != nil {
			return err
		}
		o.Erasures = &later
	}
	log := stderrLog()
	var dsn string
	connect := func() (*nats.Conn, error) { return nil, nil }
	if c.Data != "" {
		if err := c.checkThere(o); err != nil {
			return err
		}
		servers, err := local.Start(ctx, local.Options{Dir: c.Data, Backups: c.Backups, Logger: log})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, servers.Close(context.WithoutCancel(ctx))) }()
		o.Dir = servers.Backups()
		dsn, connect = servers.ClickHouseDSN(), func() (*nats.Conn, error) { return servers.ConnectNATS() }
	} else {
		if err := c.Complete(log); err != nil {
			return err
		}
		dsn = c.ClickHouse
		if c.NATS != "none" {
			options, err := c.ConnectOptions(log)
			if err := errors.Join(c.CheckNATS(c.NATS), err); err != nil {
				return err
			}
			connect = func() (*nats.Conn, error) { return nats.Connect(c.NATS, options...) }
		}
	}
	if c.Into == "" {
		if o.NATS, err = connect(); err != nil {
			return c.orLocally(fmt.Errorf("NATS at %s: %w: tokens, shared links and bills are restored there; name it with "+
				"--nats, or leave them out with --nats none", c.NATS, err))
		}
		if o.NATS != nil {
			defer o.NATS.Close()
		}
	}
	db, err := clickhouse.Open(dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.Ping(ctx); err != nil {
		return c.orLocally(migration.Problem(dsn, err))
	}
	o.DB = db
	r, err := backup.Restore(ctx, o)
	if err != nil {
		return showDifferences(g, err)
	}
	if c.Into == "" {
		steps.show(backup.Step{Name: "updating the tables"})
		if _, err := clickhouse.Migrate(ctx, db); err != nil {
			return fmt.Errorf("the backup is restored; its tables are not up to date yet (the server, or \"tapedeck migrate\", updates them): %w", err)
		}
	}
	steps.end()
	return showRestored(g, r, "restored "+c.From)
}

// orLocally adds the way to restore a backup without servers to an error of servers.
func (c *restoreCommand) orLocally(err error) error {
	if c.Data != "" {
		return err
	}
	return fmt.Errorf("%w\nA backup of \"tapedeck up\" is restored with --data DIR, a new data directory, and --backups DIR, the directory of its backups", err)
}

// checkThere checks the data directory, and that the backups exist, before anything is made in the data directory.
func (c *restoreCommand) checkThere(o backup.RestoreOptions) error {
	if err := datadir.Check(c.Data); err != nil {
		return err
	}
	dir := cmp.Or(c.Backups, local.DefaultBackups(c.Data))
	if err := o.From.CheckThere(dir); err != nil || o.Erasures == nil {
		return err
	}
	return o.Erasures.CheckThere(dir)
}

// showDifferences prints the differences of a DifferencesError with --json.
func showDifferences(g *global, err error) error {
	if d, ok := errors.AsType[*backup.DifferencesError](err); ok && g.JSON {
		return errors.Join(err, json.NewEncoder(os.Stdout).Encode(map[string]any{"differences": d.List}))
	}
	return err
}

func showRestored(g *global, r *backup.Restored, what string) error {
	if g.JSON {
		return json.NewEncoder(os.Stdout).Encode(r)
	}
	printers.Restored(os.Stdout, r, what)
	return nil
}
