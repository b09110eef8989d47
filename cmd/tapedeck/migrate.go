package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"tapedeck/internal/apiclient"
	"tapedeck/schema/clickhouse"
)

// migrateCommand updates a ClickHouse server's tables. Local mode does
// so automatically.
type migrateCommand struct {
	clickHouseFlags
}

// Run applies the missing migrations and prints their names.
func (c *migrateCommand) Run(ctx context.Context, g *global) error {
	if err := c.complete(stderrLog()); err != nil {
		return err
	}
	db, err := clickhouse.Open(c.ClickHouse)
	if err != nil {
		return err
	}
	defer db.Close()
	applied, err := clickhouse.Migrate(ctx, db)
	if err != nil {
		return migrateProblem(c.ClickHouse, err)
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

// migrateProblem adds to an error of a migration what to do.
func migrateProblem(dsn string, err error) error {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return fmt.Errorf("%s does not answer (%w)\nName another server with --clickhouse or TAPEDECK_CLICKHOUSE", clickhouse.ServerName(dsn), apiclient.RootOf(op.Err))
	}
	const unknownDatabase = 81
	if e, ok := errors.AsType[*driver.Exception](err); ok && e.Code == unknownDatabase {
		return fmt.Errorf("%s: there is no such database\nMake it first (CREATE DATABASE …), or name another one with --clickhouse", clickhouse.ServerName(dsn))
	}
	return fmt.Errorf("%s: %w", clickhouse.ServerName(dsn), err)
}
