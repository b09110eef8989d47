package redecode

import (
	"context"
	"fmt"

	"tapedeck/ingest/dialect/dialects"
	"tapedeck/schema"
	"tapedeck/schema/block"
)

// StreamUsage is a usage record of a stream.
type StreamUsage struct {
	StreamID string
	schema.Usage
}

// Usages decodes the frames of a session and returns the usage records that the current decoders
// derive. It stores nothing. Streams whose dialect the user named are read as that dialect.
func (r *Redecoder) Usages(ctx context.Context, tenant, session string) ([]StreamUsage, error) {
	run := &run{Redecoder: r, tenant: tenant, session: session, outdated: true, dialects: dialects.All()}
	streams, err := run.streams(ctx)
	if err == nil {
		err = run.refuseUnknown(streams)
	}
	if err != nil {
		return nil, fmt.Errorf("decode session %q: %w", session, err)
	}
	c := &usageCollector{latest: map[usageKey]schema.Usage{}}
	for i := range streams {
		c.stream = streams[i].id
		if err := run.decode(ctx, &streams[i], c); err != nil {
			return nil, fmt.Errorf("decode session %q: stream %s: %w", session, streams[i].id, err)
		}
	}
	list := make([]StreamUsage, 0, len(c.latest))
	for key, u := range c.latest {
		list = append(list, StreamUsage{key.stream, u})
	}
	return list, nil
}

// usageCollector collects the usage records of blocks. It keeps the highest version of each record.
type usageCollector struct {
	stream string
	latest map[usageKey]schema.Usage
}

// usageKey is the sorting key of the table usage.
type usageKey struct {
	stream, id string
	seenAt     int64
	seenSeq    uint64
}

func (c *usageCollector) add(_ context.Context, b *block.Block) error {
	for i := range b.Facts.Usages {
		u := &b.Facts.Usages[i]
		key := usageKey{c.stream, u.ID, u.SeenAt, u.SeenSeq}
		if old, ok := c.latest[key]; !ok || u.Version >= old.Version {
			c.latest[key] = *u
		}
	}
	return nil
}
