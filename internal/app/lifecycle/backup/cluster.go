package backup

import (
	"fmt"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tapedeck/schema/cluster"
)

// refuseCluster returns an error if db is a cluster: a backup has the tables of one server.
func refuseCluster(db driver.Conn) error {
	c, is := db.(*cluster.Conn)
	if !is {
		return nil
	}
	return fmt.Errorf("backups of a cluster (--clickhouse-cluster %s) are not made by tapedeck: "+
		"back up the database %s of each member with ClickHouse's BACKUP DATABASE (docs/scaling.md)", c.Name(), c.Local())
}
