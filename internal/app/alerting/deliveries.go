package alerting

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/internal/app/alerting/notify"
	"tapedeck/query/alerts"
	"tapedeck/query/alerts/evaluate"
)

// What the targets have taken is remembered in a bucket of JetStream, as hashes, for takenFor. A server that begins to
// evaluate the rules sends what began or ended within resend before and was not taken.
const (
	bucket   = "TAPEDECK_ALERTS_SENT"
	room     = 16 << 20
	takenFor = 24 * time.Hour
	resend   = 6 * time.Hour
)

// deliveries are the queues of the targets.
type deliveries struct {
	*Options
	queues []*notify.Queue
}

// newDeliveries returns the queues of the targets, and adds what is not delivered yet.
func newDeliveries(ctx context.Context, o *Options) (*deliveries, error) {
	d := &deliveries{Options: o}
	if len(o.Targets) == 0 {
		return d, nil
	}
	js, err := jetstream.New(o.NATS)
	if err != nil {
		return nil, fmt.Errorf("JetStream: %w", err)
	}
	taken, err := js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: bucket, TTL: takenFor, MaxBytes: room,
		Description: "tapedeck: hashes of the events of alerts that a target has taken"})
	if err != nil {
		return nil, fmt.Errorf("bucket %s: %w", bucket, err)
	}
	recent, err := alerts.ReadRecent(ctx, o.Reader, time.Unix(0, o.Reader.Now()).Add(-resend))
	if err != nil {
		return nil, err
	}
	for _, t := range o.Targets {
		q := notify.NewQueue(t, d.wanted, func(ctx context.Context, e notify.Event) {
			if _, err := taken.Put(ctx, entry(t, e), nil); err != nil {
				o.Log.Warn("alerts: what a target has taken was not remembered, it may be sent again", "event", e.ID, "error", err)
			}
		}, o.Log)
		d.queues = append(d.queues, q)
		for _, a := range recent {
			for _, e := range eventsOf(a) {
				_, err := taken.Get(ctx, entry(t, e))
				if err == nil {
					continue
				}
				if !errors.Is(err, jetstream.ErrKeyNotFound) {
					return nil, fmt.Errorf("bucket %s: %w", bucket, err)
				}
				wanted, err := d.wanted(ctx, e)
				if err != nil {
					return nil, err
				}
				if wanted {
					q.Add(e)
				}
			}
		}
	}
	return d, nil
}

// eventsOf returns the begin of an alert, and its end if it has one.
func eventsOf(a *evaluate.Alert) []notify.Event {
	if a.Ended == nil {
		return []notify.Event{notify.EventOf(a)}
	}
	begun := *a
	begun.Ended = nil
	return []notify.Event{notify.EventOf(&begun), notify.EventOf(a)}
}

// entry returns the key of an event that a target has taken.
func entry(t notify.Target, e notify.Event) string {
	sum := sha256.Sum256([]byte(t.ID() + " " + e.ID))
	return hex.EncodeToString(sum[:16])
}

// wanted reports whether the alert of an event is still stored.
func (d *deliveries) wanted(ctx context.Context, e notify.Event) (bool, error) {
	known, err := alerts.Known(ctx, d.Reader, e.Tenant, []*evaluate.Alert{e.Alert})
	return known[e.Alert.ID], err
}

// add sends an alert as it is to all targets. It does not wait.
func (d *deliveries) add(a *evaluate.Alert) {
	for _, q := range d.queues {
		q.Add(notify.EventOf(a))
	}
}
