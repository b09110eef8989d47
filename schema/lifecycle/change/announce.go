package change

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/cespare/xxhash/v2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/schema/lifecycle/tombstone"
)

const (
	// StreamName is the JetStream stream of announcements.
	StreamName = "TAPEDECK_CHANGES"
	// Subject is the subject of announcements.
	Subject = "tapedeck.changes"

	// mostMessages and mostBytes bound the stream. A log that is further behind releases
	// everything.
	mostMessages = 4096
	mostBytes    = 4 << 20
	// sessionsPerMessage bounds an announcement to 128 KiB.
	sessionsPerMessage = 16 << 10
)

// ID identifies a session in announcements: a hash of the tenant and the session. Two sessions with
// one ID are announced together. The ID of a Key without a session means all sessions of the
// tenant.
type ID uint64

// IDOf returns the ID of a session or, if the session is "", of a whole tenant.
func IDOf(of tombstone.Key) ID {
	var d xxhash.Digest
	d.Reset()
	_, _ = d.WriteString(of.Tenant)
	_, _ = d.Write([]byte{0})
	_, _ = d.WriteString(of.Session)
	return ID(d.Sum64())
}

// EnsureStream creates the stream of announcements. It is kept in files, so that its sequence
// numbers continue after a restart of NATS.
func EnsureStream(ctx context.Context, js jetstream.JetStream, replicas int) error {
	_, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: StreamName, Description: "tapedeck: which sessions changed, for the caches of servers",
		Subjects: []string{Subject}, Storage: jetstream.FileStorage, Retention: jetstream.LimitsPolicy,
		Discard: jetstream.DiscardOld, MaxMsgs: mostMessages, MaxBytes: mostBytes, Replicas: max(replicas, 1),
	})
	if err != nil {
		return fmt.Errorf("create JetStream stream %s: %w", StreamName, err)
	}
	return nil
}

// Announcer announces changes. The methods of a nil announcer do nothing. It is safe for use by
// many goroutines.
type Announcer struct{ js jetstream.JetStream }

// NewAnnouncer returns an announcer on a connection, which the caller closes.
func NewAnnouncer(nc *nats.Conn) (*Announcer, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("JetStream: %w", err)
	}
	return &Announcer{js: js}, nil
}

// Sessions announces that sessions, or whole tenants, have changed. When it returns without an
// error, no cache returns what was stored before.
func (a *Announcer) Sessions(ctx context.Context, changed ...tombstone.Key) error {
	ids := make([]ID, len(changed))
	for i, of := range changed {
		ids[i] = IDOf(of)
	}
	return a.IDs(ctx, ids)
}

// IDs is Sessions for the IDs of sessions.
func (a *Announcer) IDs(ctx context.Context, ids []ID) error {
	if a == nil {
		return nil
	}
	for len(ids) > 0 {
		n := min(len(ids), sessionsPerMessage)
		data := make([]byte, 0, 8*n)
		for _, id := range ids[:n] {
			data = binary.LittleEndian.AppendUint64(data, uint64(id))
		}
		if _, err := a.js.Publish(ctx, Subject, data); err != nil {
			return fmt.Errorf("announce %d changed sessions in JetStream stream %s: %w", n, StreamName, err)
		}
		ids = ids[n:]
	}
	return nil
}

// idsOf returns the IDs of a message. A remainder of less than an ID is ignored.
func idsOf(data []byte) []ID {
	ids := make([]ID, 0, len(data)/8)
	for ; len(data) >= 8; data = data[8:] {
		ids = append(ids, ID(binary.LittleEndian.Uint64(data)))
	}
	return ids
}
