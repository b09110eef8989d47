package main

import (
	"context"
	"time"

	"tapedeck/internal/app/command/doctor"
	"tapedeck/internal/app/settings"
	"tapedeck/internal/commandline"
	"tapedeck/schema/clickhouse"
)

// doctorClusterCommand checks a ClickHouse cluster.
type doctorClusterCommand struct {
	settings.ConfigFile
	settings.ClickHouseServer
	Away int `help:"Number of members that were stopped for the check." default:"0"`
}

// Run inserts, reads and deletes rows of a tenant of its own, and prints a line for each check. It fails
// if a finding is a problem.
func (c *doctorClusterCommand) Run(ctx context.Context, g *global) error {
	if err := c.Complete(stderrLog()); err != nil {
		return err
	}
	conn, err := clickhouse.OpenCluster(c.ClickHouse)
	if err != nil {
		return err
	}
	if conn == nil {
		return commandline.Errorf("doctor cluster needs --clickhouse-cluster NAME")
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(ctx, doctorClusterTimeout)
	defer cancel()
	findings, wrong := doctor.CheckCluster(ctx, conn, version, c.Away)
	return printFindings(g, findings, wrong)
}

// doctorClusterTimeout bounds the whole check of a cluster.
const doctorClusterTimeout = 5 * time.Minute
