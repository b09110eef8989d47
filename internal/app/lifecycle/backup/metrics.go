package backup

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	stream "tapedeck/ingest/delivery/jetstream"
	"tapedeck/internal/metric"
)

var (
	lastSuccess = metric.Gauge(metric.API, "tapedeck_backup_last_success_timestamp_seconds",
		"When the last backup was completed, Unix time; 0 if none was. Servers that share a NATS report the same.")
	lastSeconds = metric.Gauge(metric.API, "tapedeck_backup_last_duration_seconds",
		"How long the last backup that was completed took.")
	lastBytes = metric.Gauge(metric.API, "tapedeck_backup_last_bytes",
		"Size of the last backup that was completed, with what it takes from its bases.")
	failures = metric.Counter(metric.API, "tapedeck_backup_failures_total",
		"Backups of this server that failed.")
)

// success describes the last completed backup of all servers.
type success struct {
	At      time.Time `json:"at"`
	Seconds float64   `json:"seconds"`
	Bytes   uint64    `json:"bytes"`
	To      string    `json:"to"`
}

const (
	statusBucket = "TAPEDECK_BACKUPS"
	successKey   = "success"
	// followEvery is the interval at which a server reads the last backup of all servers.
	followEvery = 15 * time.Second
	kvTimeout   = 5 * time.Second
)

// follow updates the metrics until ctx ends.
func (s *Service) follow(ctx context.Context) {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	for {
		s.read(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// read sets the metrics from the bucket. If NATS is unavailable, they do not change.
func (s *Service) read(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, kvTimeout)
	defer cancel()
	js, err := jetstream.New(s.opts.NATS)
	if err != nil {
		return
	}
	kv, err := js.KeyValue(ctx, statusBucket)
	if err != nil {
		return // no backup was completed yet, or NATS does not answer
	}
	var last success
	if e, err := kv.Get(ctx, successKey); err == nil && json.Unmarshal(e.Value(), &last) == nil {
		last.show()
	}
}

func (last *success) show() {
	lastSuccess.Set(float64(last.At.UnixMilli()) / 1000)
	lastSeconds.Set(last.Seconds)
	lastBytes.Set(float64(last.Bytes))
}

// succeeded stores a completed backup for all servers.
func (s *Service) succeeded(ctx context.Context, last success) {
	last.show()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), kvTimeout)
	defer cancel()
	if err := s.share(ctx, last); err != nil {
		s.opts.Log.Warn("backup: could not be recorded in NATS, other servers report the one before", "error", err)
	}
}

func (s *Service) share(ctx context.Context, last success) error {
	js, err := jetstream.New(s.opts.NATS)
	if err != nil {
		return err
	}
	kv, err := js.KeyValue(ctx, statusBucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		var replicas int
		if replicas, err = stream.Replicas(ctx, js); err != nil {
			return err
		}
		kv, err = js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
			Bucket: statusBucket, Description: "tapedeck: the last backup", Storage: jetstream.FileStorage,
			Replicas: replicas,
		})
	}
	if err != nil {
		return err
	}
	text, err := json.Marshal(last)
	if err != nil {
		return err
	}
	_, err = kv.Put(ctx, successKey, text)
	return err
}
