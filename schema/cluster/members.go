package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// Member is a server of a cluster.
type Member struct {
	Shard   uint32 // from 1
	Replica uint32 // of the shard, from 1
	Address string // host:port of the native protocol
}

// ErrUnknown is the error for a cluster that the server does not know.
var ErrUnknown = errors.New("there is no such cluster")

const (
	readMembers = `SELECT shard_num, replica_num, host_name, port FROM system.clusters WHERE cluster = ? ORDER BY shard_num, replica_num`
	readNames   = `SELECT groupUniqArray(cluster) FROM system.clusters`
)

// Members returns the members that system.clusters names, by shards. It returns ErrUnknown if there
// are none.
func (c *Conn) Members(ctx context.Context) ([]Member, error) {
	list, err := membersOf(ctx, c.Conn, c.name)
	if err != nil {
		return nil, err
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

// FirstMembers returns the members of the first shard as a member of the cluster names them. conn is a
// connection to the member.
func (c *Conn) FirstMembers(ctx context.Context, conn driver.Conn) ([]Member, error) {
	return membersOf(ctx, conn, c.First())
}

// membersOf returns the members of a cluster.
func membersOf(ctx context.Context, conn driver.Conn, name string) ([]Member, error) {
	rows, err := conn.Query(ctx, readMembers, name)
	if err != nil {
		return nil, fmt.Errorf("read the members of cluster %s: %w", name, err)
	}
	defer rows.Close()
	var list []Member
	for rows.Next() {
		var m Member
		var host string
		var port uint16
		if err := rows.Scan(&m.Shard, &m.Replica, &host, &port); err != nil {
			return nil, fmt.Errorf("read the members of cluster %s: %w", name, err)
		}
		m.Address = net.JoinHostPort(host, strconv.Itoa(int(port)))
		list = append(list, m)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the members of cluster %s: %w", name, err)
	}
	return list, nil
}
