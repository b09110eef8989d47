package settings

import (
	"tapedeck/ingest/jetstream"
	"tapedeck/internal/usage"
	"tapedeck/schema/clickhouse"
)

// checkNATS checks the value of --nats.
func checkNATS(servers string) error {
	if err := jetstream.CheckServers(servers); err != nil {
		return usage.Errorf("--nats: %w", err)
	}
	return nil
}

// checkClickHouse checks the value of --clickhouse.
func checkClickHouse(dsn string) error {
	if err := clickhouse.CheckDSN(dsn); err != nil {
		return usage.Errorf("--clickhouse: %w", err)
	}
	return nil
}
