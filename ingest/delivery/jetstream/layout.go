package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"tapedeck/ingest"
)

// PartitionName returns the name of the JetStream stream of a partition.
func PartitionName(index int) string {
	if index == 0 {
		return StreamName
	}
	return StreamName + "_" + strconv.Itoa(index)
}

// drainPrefix precedes the subjects of partitions that receive no more blocks, since the number of
// partitions is about to change.
const drainPrefix = "tapedeck.drain."

// layout is how the blocks are partitioned, as the subject of the first partition states it.
type layout struct {
	of       int // number of partitions
	draining bool
}

// layoutOf returns the layout that the first partition states.
func layoutOf(first jetstream.Stream) (l layout, err error) {
	subjects := first.CachedInfo().Config.Subjects
	if len(subjects) != 1 {
		return l, fmt.Errorf("JetStream stream %s has the subjects %q, which tapedeck does not use", StreamName, subjects)
	}
	subject, draining := strings.CutPrefix(subjects[0], drainPrefix)
	p, ok := ingest.ParsePrefix(strings.TrimSuffix(subject, ">"))
	if !ok {
		return l, fmt.Errorf("JetStream stream %s has the subject %q, which tapedeck does not use", StreamName, subjects[0])
	}
	return layout{max(p.Of, 1), draining}, nil
}

// partition returns a partition of the layout.
func (l layout) partition(index int) ingest.Partition {
	if l.of == 1 {
		return ingest.Partition{}
	}
	return ingest.Partition{Index: index, Of: l.of}
}

// Partitions returns the streams of all partitions with their current state, the first one first.
func Partitions(ctx context.Context, js jetstream.JetStream) ([]jetstream.Stream, error) {
	first, err := js.Stream(ctx, StreamName)
	if err != nil {
		return nil, fmt.Errorf("JetStream stream %s: %w", StreamName, err)
	}
	l, err := layoutOf(first)
	if err != nil {
		return nil, err
	}
	streams := []jetstream.Stream{first}
	for i := 1; i < l.of; i++ {
		s, err := js.Stream(ctx, PartitionName(i))
		if err != nil {
			return nil, fmt.Errorf("JetStream stream %s: %w", PartitionName(i), err)
		}
		streams = append(streams, s)
	}
	return streams, nil
}

// Layout reads from JetStream how the blocks are partitioned, at most once a second. It is safe for
// use by many goroutines.
type Layout struct {
	js jetstream.JetStream

	mu   sync.Mutex // guards the fields below, and is held during a request to JetStream
	of   int
	read time.Time // zero if of is to be read
	err  error
}

const (
	layoutFor     = time.Second
	layoutTimeout = 2 * time.Second
)

// NewLayout returns a layout that is not read yet.
func NewLayout(js jetstream.JetStream) *Layout { return &Layout{js: js} }

// Partitions returns the number of partitions, at most a second old.
func (l *Layout) Partitions(ctx context.Context) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.read) < layoutFor {
		return l.of, l.err
	}
	limited, cancel := context.WithTimeout(ctx, layoutTimeout)
	defer cancel()
	of, err := readLayout(limited, l.js)
	if err != nil && ctx.Err() != nil {
		return of, err // only this caller's context has ended
	}
	l.of, l.err, l.read = of, err, time.Now()
	return l.of, l.err
}

func readLayout(ctx context.Context, js jetstream.JetStream) (int, error) {
	first, err := js.Stream(ctx, StreamName)
	if err != nil {
		return 0, fmt.Errorf("JetStream stream %s: %w", StreamName, err)
	}
	l, err := layoutOf(first)
	return l.of, err
}

// Locate returns the stream of a session's partition, and the subjects of the session's blocks in
// it: of single blocks, and of the bundles that may contain one.
func (l *Layout) Locate(ctx context.Context, tenant, session string) (name string, filters []string, err error) {
	of, err := l.Partitions(ctx)
	if err != nil {
		return "", nil, err
	}
	p := ingest.PartitionOf(tenant, session, of)
	return PartitionName(p.Index), p.Filters(tenant, session), nil
}

// existing returns the streams of partitions that exist, whatever the first one states.
func existing(ctx context.Context, js jetstream.JetStream) (streams []jetstream.Stream, err error) {
	for i := range ingest.MaxPartitions {
		s, err := js.Stream(ctx, PartitionName(i))
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("JetStream stream %s: %w", PartitionName(i), err)
		}
		streams = append(streams, s)
	}
	return streams, nil
}
