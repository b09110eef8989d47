package settings

import (
	"tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/commandline"
	"tapedeck/schema/clickhouse"
)

// checkNATS checks the value of --nats.
func checkNATS(servers string) error {
	if err := jetstream.CheckServers(servers); err != nil {
		return commandline.Errorf("--nats: %w", err)
	}
	return nil
}

// checkClickHouse checks the value of --clickhouse.
func checkClickHouse(dsn string) error {
	if err := clickhouse.CheckDSN(dsn); err != nil {
		return commandline.Errorf("--clickhouse: %w", err)
	}
	return nil
}
