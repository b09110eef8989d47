package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
)

// Member is a server of a cluster.
type Member struct {
	Shard   uint32
	Address string // host:port of the native protocol
}

// ErrUnknown is the error for a cluster that the server does not know.
var ErrUnknown = errors.New("there is no such cluster")

const (
	readMembers = `SELECT shard_num, host_name, port FROM system.clusters WHERE cluster = ? ORDER BY shard_num, replica_num`
	readNames   = `SELECT groupUniqArray(cluster) FROM system.clusters`
)

// Members returns the members that system.clusters names, by shards. It returns ErrUnknown if there
// are none.
func (c *Conn) Members(ctx context.Context) ([]Member, error) {
	rows, err := c.Conn.Query(ctx, readMembers, c.name)
	if err != nil {
		return nil, fmt.Errorf("read the members of cluster %s: %w", c.name, err)
	}
	defer rows.Close()
	var list []Member
	for rows.Next() {
		var m Member
		var host string
		var port uint16
		if err := rows.Scan(&m.Shard, &host, &port); err != nil {
			return nil, fmt.Errorf("read the members of cluster %s: %w", c.name, err)
		}
		m.Address = net.JoinHostPort(host, strconv.Itoa(int(port)))
		list = append(list, m)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the members of cluster %s: %w", c.name, err)
	}
	if len(list) == 0 {
		var names []string
		if err := c.Conn.QueryRow(ctx, readNames).Scan(&names); err != nil {
			return nil, fmt.Errorf("read the names of clusters: %w", err)
		}
		known := "it has none"
		if len(names) > 0 {
			known = "it has " + strings.Join(names, ", ")
		}
		return nil, fmt.Errorf("%w: --clickhouse-cluster is %s, and the server's remote_servers do not name it (%s): "+
			"name one of them, or define the cluster on every member", ErrUnknown, c.name, known)
	}
	return list, nil
}
