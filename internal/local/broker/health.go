package broker

import (
	"fmt"
	"syscall"
	"time"
)

// Health is a snapshot for a readiness check or a report.
type Health struct {
	Running   bool      `json:"running"`
	Since     time.Time `json:"since"`                // time of the start
	Connected int       `json:"connected"`            // number of clients, including those of this process
	URL       string    `json:"url,omitempty"`        // for other processes, without the token
	LastError string    `json:"last_error,omitempty"` // the server's latest warning or error
	Stored    uint64    `json:"stored_bytes"`         // size of all streams
	MaxStore  uint64    `json:"max_store_bytes"`
	DiskFree  uint64    `json:"disk_free_bytes"` // on the file system of the streams
}

// Health returns the state of the broker.
func (s *Server) Health() Health {
	h := Health{
		Running:   s.server.Running() && s.server.JetStreamEnabled(),
		Since:     s.since,
		Connected: s.server.NumClients(),
		LastError: s.log.latest(),
	}
	if address := s.server.Addr(); address != nil {
		h.URL = "nats://" + address.String()
	}
	if report, err := s.server.Jsz(nil); err == nil {
		h.Stored = report.Store
		h.MaxStore = uint64(max(report.Config.MaxStore, 0))
	}
	h.DiskFree = s.room()
	return h
}

// storeShare returns the bound on all streams together if none is configured: half of the file
// system of dir. It depends on the size, not on the free space, so that a stream that could be
// created once fits at every later start.
func storeShare(dir string) (int64, error) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return 0, fmt.Errorf("size of the file system of %s: %w", dir, err)
	}
	return int64(disk.Blocks) * int64(disk.Bsize) / 2, nil
}
