package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"tapedeck/schema/clickhouse"
)

// migrateCommand brings a ClickHouse server's tables up to date. Local mode does
// so by itself.
type migrateCommand struct {
	ClickHouse string `help:"ClickHouse: clickhouse://user:password@host:9000/database" name:"clickhouse" default:"clickhouse://127.0.0.1:9000/default" env:"TAPEDECK_CLICKHOUSE" placeholder:"DSN"`
}

// Run applies what is missing and says what it applied.
func (c *migrateCommand) Run(ctx context.Context, g *global) error {
	db, err := clickhouse.Open(c.ClickHouse)
	if err != nil {
		return err
	}
	defer db.Close()
	applied, err := clickhouse.Migrate(ctx, db)
	if err != nil {
		return err
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
