// Package table stores the audit log in ClickHouse: it moves the entries that servers publish to
// JetStream to a table, and lists them.
package table

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/internal/app/auth/audit"
	"tapedeck/query"
)

//go:embed sql/*.sql
var files embed.FS

var statements = query.Parse(files)

// DefaultRetention is how long entries are stored.
const DefaultRetention = 400 * 24 * time.Hour

// WriterOptions configure a writer.
type WriterOptions struct {
	NATS      *nats.Conn
	Replicas  int // of the stream
	DB        driver.Conn
	Retention time.Duration // whole days; default DefaultRetention
	Log       *slog.Logger
}

// Writer moves entries from JetStream to ClickHouse. Several writers may run, in one process or in
// many.
type Writer struct{ opts WriterOptions }

// NewWriter returns a writer.
func NewWriter(o WriterOptions) *Writer {
	if o.Retention == 0 {
		o.Retention = DefaultRetention
	}
	return &Writer{o}
}

const (
	fetchMessages = 200
	fetchWait     = time.Second
	ackWait       = time.Minute
	insertTimeout = 30 * time.Second
)

// Run stores entries until ctx ends. Entries that cannot be stored stay in JetStream.
func (w *Writer) Run(ctx context.Context) {
	said := false
	for wait := time.Second; ctx.Err() == nil; wait = min(2*wait, 30*time.Second) {
		err := w.follow(ctx, func() { wait, said = time.Second, false })
		if ctx.Err() != nil {
			return
		}
		if !said && w.opts.NATS.IsConnected() { // otherwise the owner of the connection logs the reason
			w.opts.Log.Warn("audit log: not stored in ClickHouse, entries wait in JetStream", "error", err)
			said = true
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// follow stores entries until an error occurs, and calls stored after each insert.
func (w *Writer) follow(ctx context.Context, stored func()) error {
	consumer, err := w.consumer(ctx)
	if err != nil {
		return err
	}
	if err := w.retain(ctx); err != nil {
		return err
	}
	for ctx.Err() == nil {
		messages, entries, err := w.fetch(ctx, consumer)
		if err != nil {
			return err
		}
		if err := w.insert(ctx, entries); err != nil {
			for _, m := range messages {
				_ = m.NakWithDelay(time.Second) // otherwise the messages are redelivered after ackWait
			}
			return err
		}
		for _, m := range messages {
			if err := m.Ack(); err != nil {
				return err // the entries are inserted again and replace themselves
			}
		}
		if len(entries) > 0 {
			stored()
		}
	}
	return ctx.Err()
}

// fetch returns the messages that arrive within fetchWait, and their entries.
func (w *Writer) fetch(ctx context.Context, from jetstream.Consumer) (messages []jetstream.Msg, entries []audit.Entry, err error) {
	ctx, cancel := context.WithTimeout(ctx, fetchWait)
	defer cancel()
	batch, err := from.Fetch(fetchMessages, jetstream.FetchContext(ctx))
	if err != nil {
		return nil, nil, err
	}
	for m := range batch.Messages() {
		var some []audit.Entry
		if err := json.Unmarshal(m.Data(), &some); err != nil {
			unreadable.Inc()
			w.opts.Log.Error("audit log: a message cannot be read and is left out", "error", err)
			_ = m.Term() // if this fails, the message is redelivered
			continue
		}
		messages, entries = append(messages, m), append(entries, some...)
	}
	if err := batch.Error(); err != nil && !errors.Is(err, nats.ErrTimeout) && ctx.Err() == nil {
		return nil, nil, err
	}
	return messages, entries, nil
}

// consumer returns the consumer that all writers share.
func (w *Writer) consumer(ctx context.Context) (jetstream.Consumer, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	js, err := jetstream.New(w.opts.NATS)
	if err != nil {
		return nil, err
	}
	s, err := audit.EnsureStream(ctx, js, w.opts.Replicas)
	if err != nil {
		return nil, err
	}
	c, err := s.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: "clickhouse",
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait, MaxAckPending: 10 * fetchMessages})
	if err != nil {
		return nil, fmt.Errorf("consumer of JetStream stream %s: %w", audit.StreamName, err)
	}
	return c, nil
}

func (w *Writer) insert(ctx context.Context, entries []audit.Entry) error {
	if len(entries) == 0 {
		return nil
	}
	// Fetched entries are stored even if the server stops.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), insertTimeout)
	defer cancel()
	batch, err := w.opts.DB.PrepareBatch(ctx, statements.Must("insert_audit_log", nil))
	if err != nil {
		return fmt.Errorf("insert into audit_log: %w", err)
	}
	defer batch.Close()
	for i := range entries {
		e := &entries[i]
		var ended uint8
		if e.Outcome != audit.Begun {
			ended = 1
		}
		err := batch.Append(e.Tenant, e.At, e.ID, ended, e.Principal.Kind, e.Principal.ID, e.Principal.Name,
			e.Remote, string(e.Action), e.Kind, e.Object, e.Detail, string(e.Outcome), uint16(e.Status), e.RequestID)
		if err != nil {
			return fmt.Errorf("insert into audit_log: %w", err)
		}
	}
	if err := batch.Send(); err != nil {
		return fmt.Errorf("insert into audit_log: %w", err)
	}
	return nil
}

// retain sets how long the table stores entries.
func (w *Writer) retain(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, insertTimeout)
	defer cancel()
	days := int(w.opts.Retention / (24 * time.Hour))
	var now string
	if err := w.opts.DB.QueryRow(ctx, statements.Must("audit_log_ttl", nil)).Scan(&now); err != nil {
		return fmt.Errorf("read the retention of audit_log: %w", err)
	}
	if strings.Contains(now, fmt.Sprintf("toIntervalDay(%d)", days)) {
		return nil
	}
	if err := w.opts.DB.Exec(ctx, statements.Must("set_audit_log_ttl", days)); err != nil {
		return fmt.Errorf("set the retention of audit_log to %d days: %w", days, err)
	}
	return nil
}
