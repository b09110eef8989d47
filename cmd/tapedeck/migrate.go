package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/internal/app/command/printers"
	"tapedeck/internal/app/migration"
	"tapedeck/internal/app/settings"
	"tapedeck/internal/console"
	"tapedeck/schema/clickhouse"
	"tapedeck/schema/migrate"
)

// migrateCommand updates a ClickHouse server's tables. Local mode does this automatically.
type migrateCommand struct {
	settings.ConfigFile
	settings.ClickHouseServer
	settings.ColdData
	Plan bool `help:"Print what would be applied, and the size of the tables; change nothing."`
}

// Run applies the missing migrations and prints their names.
func (c *migrateCommand) Run(ctx context.Context, g *global) error {
	if err := c.Complete(stderrLog()); err != nil {
		return err
	}
	cold, err := c.Cold()
	if err != nil {
		return err
	}
	db, err := clickhouse.Open(c.ClickHouse)
	if err != nil {
		return err
	}
	defer db.Close()
	if c.Plan {
		return c.plan(ctx, db, g)
	}
	applied, err := migrate.Apply(ctx, db, migrate.Options{Program: version, Report: reportWaiting(), Cold: cold})
	if err != nil {
		return migration.Problem(c.ClickHouse, err)
	}
	if g.JSON {
		return json.NewEncoder(os.Stdout).Encode(map[string]any{"applied": append([]string{}, applied...)})
	}
	if len(applied) == 0 {
		fmt.Println("The tables are up to date.")
	}
	for _, name := range applied {
		fmt.Println("applied", name)
	}
	return nil
}

// reportWaiting returns a function that prints on standard error, once, that another process
// migrates.
func reportWaiting() func(migrate.Progress) {
	last := ""
	return func(p migrate.Progress) {
		if p.Holder != "" && p.Holder != last {
			last = p.Holder
			fmt.Fprintf(console.To(os.Stderr), "waiting for %s, which migrates\n", p.Holder)
		}
	}
}

// plan prints the migrations that would be applied.
func (c *migrateCommand) plan(ctx context.Context, db driver.Conn, g *global) error {
	p, err := migrate.Prepare(ctx, db, migrate.Options{Program: version})
	if err != nil {
		return migration.Problem(c.ClickHouse, err)
	}
	if g.JSON {
		return json.NewEncoder(os.Stdout).Encode(p)
	}
	printers.MigrationPlan(os.Stdout, p)
	return nil
}
