package settings

import (
	"time"

	"tapedeck/internal/commandline"
	"tapedeck/schema/migrate"
)

// ColdData holds what ClickHouse does with old recordings. Migrations apply it to the tables.
type ColdData struct {
	ColdAfter     Days   `help:"Age from which ClickHouse compresses recordings more strongly and moves them to the volume \"cold\" of --clickhouse-storage-policy, like 90d. Applied with the migrations; 0d leaves the tables as they are." name:"clickhouse-cold-after" default:"0d" min:"1d" max:"36500d" zero:"no change" env:"TAPEDECK_CLICKHOUSE_COLD_AFTER" placeholder:"D"`
	StoragePolicy string `help:"Storage policy of ClickHouse for recordings, with a volume \"cold\". Needs --clickhouse-cold-after." name:"clickhouse-storage-policy" env:"TAPEDECK_CLICKHOUSE_STORAGE_POLICY" placeholder:"NAME"`
}

// Cold returns the settings for the migrations.
func (f *ColdData) Cold() (migrate.Cold, error) {
	if f.StoragePolicy != "" && f.ColdAfter == 0 {
		return migrate.Cold{}, commandline.Errorf("--clickhouse-storage-policy moves recordings from an age on: set --clickhouse-cold-after to it")
	}
	return migrate.Cold{After: time.Duration(f.ColdAfter), Policy: f.StoragePolicy}, nil
}
