package broker

import (
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

const (
	healPause = time.Second
	// healRoom is the free disk space, in bytes, that is required before writing is retried. It has
	// room for several messages of the maximum size.
	healRoom = 4 * MaxPayload
)

// brokenStore reports whether a log message of the NATS server means that a stream refuses all
// later messages. nats-server 2.15 keeps the first write error of a stream, usually of a full disk,
// and refuses all later messages, even if there is free space again. A JetStream that ran out of
// resources does not recover either.
func brokenStore(format string) bool {
	for _, prefix := range []string{
		"Critical write error", "JetStream failed to store a msg", "will be DISABLED", "disabling JetStream",
	} {
		if strings.Contains(format, prefix) {
			return true
		}
	}
	return false
}

// heal reloads the streams from disk after a failed write, once there is free space again. Until
// then no acknowledged message is lost, and publishers wait.
func (s *Server) heal(quit <-chan struct{}) {
	tick := time.NewTicker(healPause)
	defer tick.Stop()
	for {
		select {
		case <-quit:
			return
		case <-tick.C:
		}
		if s.log.storeIsBroken() && s.room() >= healRoom {
			s.reload()
		}
	}
}

// reload stops JetStream and starts it again; clients stay connected.
func (s *Server) reload() {
	log := s.log.log
	log.Warn("nats server: disk space is available again, reloading the streams", "dir", s.dir)
	s.log.storeMended() // later failures are logged again
	config := server.JetStreamConfig{StoreDir: s.dir, MaxMemory: maxMemory}
	if now := s.server.JetStreamConfig(); now != nil {
		config = *now
		config.StoreDir = s.dir // JetStream appends its subdirectory again
	}
	if err := s.server.ShutdownJetStream(); err != nil {
		log.Error("nats server: JetStream could not be stopped", "error", err)
	}
	if err := s.server.EnableJetStream(&config); err != nil {
		log.Error("nats server: JetStream could not be started, trying again", "error", err)
		s.log.storeBroke()
		return
	}
	log.Info("nats server: JetStream accepts messages again", "dir", s.dir)
}

// room returns the free space on the file system of the streams, in bytes.
func (s *Server) room() uint64 {
	var disk syscall.Statfs_t
	if syscall.Statfs(s.dir, &disk) != nil {
		return 0
	}
	return disk.Bavail * uint64(disk.Bsize)
}
