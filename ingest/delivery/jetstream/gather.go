package jetstream

import (
	"slices"
	"time"

	"tapedeck/ingest"
	"tapedeck/schema/block"
)

// gathered holds the blocks that have not been sent yet, in bundles, the oldest bundle first.
type gathered struct {
	limit   time.Duration // how long a block waits for other blocks while JetStream acknowledges messages
	bundles []*bundle
	by      map[bucket]*bundle
}

func newGathered() gathered { return gathered{limit: gatherLimit, by: map[bucket]*bundle{}} }

func bucketOf(p *ingest.EncodedBlock, bulk bool) bucket {
	return bucket{p.Tenant, ingest.Bucket(p.Session), block.VersionOf(p.Data), bulk}
}

// open adds an empty bundle.
func (g *gathered) open(of bucket) *bundle {
	b := &bundle{bucket: of, since: time.Now()}
	g.bundles = append(g.bundles, b)
	g.by[of] = b
	return b
}

// take removes a bundle.
func (g *gathered) take(b *bundle) *bundle {
	delete(g.by, b.bucket)
	g.bundles = slices.DeleteFunc(g.bundles, func(x *bundle) bool { return x == b })
	return b
}

// due returns the oldest bundle if it should be sent now: few messages are in flight, or the bundle
// has waited long enough. Otherwise it returns nil.
func (g *gathered) due(inFlight int) *bundle {
	if len(g.bundles) == 0 {
		return nil
	}
	if b := g.bundles[0]; inFlight < fewInFlight || time.Since(b.since) > g.limit {
		return b
	}
	return nil
}

const (
	// fewInFlight is the number of messages in flight below which blocks are sent without
	// gathering.
	fewInFlight = 4
	gatherLimit = 10 * time.Millisecond
)
