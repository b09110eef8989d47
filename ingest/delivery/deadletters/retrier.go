package deadletters

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	stream "tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/metric"
)

// ErrRefused reports that the block of a letter was refused again.
var ErrRefused = errors.New("still refused")

// Retrier retries dead letters automatically: each version of the program retries each letter right
// after an upgrade, then after Wait, twice Wait and so on, up to Longest. Of all retriers at a
// JetStream, one works at a time, for at most half of Every.
type Retrier struct {
	Letters *Store
	Version string // of this program
	// Try stores the block of a letter. An error that wraps ErrRefused concerns the block; any
	// other error ends the round and does not count as a retry.
	Try func(ctx context.Context, subject string, data []byte) error
	Log *slog.Logger

	Every   time.Duration // from the start of one round to the start of the next; default 1 min
	Wait    time.Duration // default 10 min
	Longest time.Duration // default 24 h

	next  time.Time // when the next letter is due; letters that are set aside meanwhile are due at least Wait later
	after uint64    // number of the letter at which the previous round ended
	cut   bool      // since after was last 0, a round ended at a letter that could not be retried
}

// Run retries letters until ctx ends, and updates the gauges.
func (r *Retrier) Run(ctx context.Context) {
	for value, std := range map[*time.Duration]time.Duration{&r.Every: time.Minute, &r.Wait: 10 * time.Minute, &r.Longest: 24 * time.Hour} {
		if *value == 0 {
			*value = std
		}
	}
	tick := time.NewTicker(r.Every / 4)
	defer tick.Stop()
	for {
		if err := r.look(ctx); err != nil && ctx.Err() == nil && r.Letters.js.Conn().IsConnected() {
			r.Log.Warn("dead letters: retrying failed, trying again later", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// look counts the letters, and starts a round if a letter may be due and no other retrier
// started one within Every.
func (r *Retrier) look(ctx context.Context) error {
	letters, bytes, err := r.Letters.Count(ctx)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil // the stream does not exist yet
	}
	if err != nil {
		return err
	}
	heldLetters.Set(float64(letters))
	heldBytes.Set(float64(bytes))
	if letters == 0 || time.Now().Before(r.next) {
		return nil
	}
	if mine, err := r.lease(ctx); err != nil || !mine {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, r.Every/2)
	defer cancel()
	err = r.round(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil // the next round continues after r.after
	}
	return err
}

// leaseBucket is the in-memory bucket with the lease of a round, which JetStream expires.
const (
	leaseBucket = "TAPEDECK_LEASES"
	leaseKey    = "dead-letters"
	leaseRoom   = 64 << 10
)

// lease acquires the lease of a round, which expires after Every.
func (r *Retrier) lease(ctx context.Context) (bool, error) {
	leases, err := r.Letters.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket: leaseBucket, Description: "tapedeck: which process retries dead letters",
		TTL: r.Every, Storage: jetstream.MemoryStorage, MaxBytes: leaseRoom,
	})
	if err != nil {
		return false, fmt.Errorf("lease in %s: %w", leaseBucket, err)
	}
	_, err = leases.Create(ctx, leaseKey, []byte(r.Version))
	if errors.Is(err, jetstream.ErrKeyExists) {
		return false, nil
	}
	return err == nil, err
}

// round retries the letters that are due.
func (r *Retrier) round(ctx context.Context) error {
	st, err := r.Letters.stream(ctx)
	if err != nil {
		return err
	}
	last, next := st.CachedInfo().State.LastSeq, time.Now().Add(r.Wait)
	for {
		m, err := st.GetMsg(ctx, r.after+1, jetstream.WithGetMsgSubject(stream.DeadSubject))
		if errors.Is(err, jetstream.ErrMsgNotFound) || err == nil && m.Sequence > last {
			if r.after = 0; !r.cut {
				r.next = next
			}
			r.cut = false
			return nil
		}
		if err != nil {
			return fmt.Errorf("dead letters after %d: %w", r.after, err)
		}
		r.after = m.Sequence // the next round continues after this letter in any case
		if due := r.due(m); time.Now().Before(due) {
			if due.Before(next) {
				next = due
			}
		} else if err := r.retry(ctx, st, m); err != nil {
			r.cut = true
			return err
		}
	}
}

// due returns when a letter is due for a retry.
func (r *Retrier) due(m *jetstream.RawStreamMsg) time.Time {
	if !slices.Contains(triedBy(m.Header), r.Version) {
		return m.Time
	}
	wait := r.Wait
	for range min(tries(m.Header), 32) {
		wait = min(2*wait, r.Longest)
	}
	return m.Time.Add(wait)
}

// retry stores the block of a letter and deletes the letter. If the block is refused again, a new
// letter replaces the letter, with the first reason and an increased number of tries.
func (r *Retrier) retry(ctx context.Context, st jetstream.Stream, m *jetstream.RawStreamMsg) error {
	subject := m.Header.Get(stream.HeaderSubject)
	err := r.Try(ctx, subject, m.Data)
	switch {
	case err == nil:
		recovered.Inc()
		r.Log.Info("dead letters: stored a block that was set aside", "seq", m.Sequence, "subject", subject, "tries", tries(m.Header)+1)
	case ctx.Err() != nil:
		return ctx.Err()
	case !errors.Is(err, ErrRefused):
		return fmt.Errorf("dead letter %d: %w", m.Sequence, err)
	default:
		again := &nats.Msg{Subject: stream.DeadSubject, Data: m.Data,
			Header: Header(retried(m), subject, r.Version, err)}
		// If deleting the letter fails, JetStream deduplicates the new one when it is
		// published again.
		id := fmt.Sprintf("tried-%d-%d", m.Sequence, m.Time.UnixNano())
		if _, err := r.Letters.js.PublishMsg(ctx, again, jetstream.WithMsgID(id)); err != nil {
			return fmt.Errorf("keep dead letter %d: %w", m.Sequence, err)
		}
		r.Log.Warn("dead letters: a block is still refused", "seq", m.Sequence, "subject", subject, "tries", tries(m.Header)+1, "error", err)
	}
	if err := st.SecureDeleteMsg(ctx, m.Sequence); err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) {
		return fmt.Errorf("remove dead letter %d: %w", m.Sequence, err)
	}
	return nil
}

var (
	heldLetters = metric.Gauge(metric.Sink, "tapedeck_dead_letters",
		"Blocks that are set aside now; sinks that share a JetStream report the same number.")
	heldBytes = metric.Gauge(metric.Sink, "tapedeck_dead_letter_bytes",
		"Bytes of the blocks that are set aside now.")
	recovered = metric.Counter(metric.Sink, "tapedeck_dead_letters_recovered_total",
		"Blocks that were set aside and stored by a retry.")
)
