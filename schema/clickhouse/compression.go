package clickhouse

import (
	"net"

	"github.com/ClickHouse/ch-go"
)

// compression returns the compression of connections: only over a network, since over loopback it
// would cost CPU time on both sides.
func compression(addr string) ch.Compression {
	host, _, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err == nil && (host == "localhost" || ip != nil && ip.IsLoopback()) {
		return ch.CompressionDisabled
	}
	return ch.CompressionLZ4
}
