package jetstream

import (
	"time"

	"tapedeck/ingest"
)

// HeaderBulk marks messages of bulk recordings. The sink stores them separately from other
// messages, so that other messages do not wait behind them. Once a stream has become a bulk
// recording, all of its further blocks have the header, so that the end of the stream is not stored
// before its frames.
const HeaderBulk = "Tapedeck-Bulk"

const (
	// A stream becomes a bulk recording with a block of at least bulkBlock bytes, or with the block
	// with which it has published bulkBytes bytes or bulkFrames frames within bulkWindow.
	bulkBlock  = 1 << 20
	bulkBytes  = 4 << 20
	bulkFrames = 50_000
	bulkWindow = 10 * time.Second
	// forgetAfter is the time without a block after which a stream is forgotten.
	forgetAfter = time.Minute
)

// bulk determines which streams are bulk recordings.
type bulk struct {
	streams map[string]*rate // by the stream's part of the block ids
	swept   time.Time
}

// rate is the amount that a stream has published since a point in time.
type rate struct {
	since, latest time.Time
	bytes, frames int
	bulk          bool
}

// is reports whether a block belongs to a bulk recording.
func (k *bulk) is(b *ingest.EncodedBlock, now time.Time) bool {
	k.sweep(now)
	id := b.ID[:min(len(b.ID), streamIDSize)]
	r := k.streams[id]
	if r == nil {
		r = &rate{since: now}
		k.streams[id] = r
	}
	if now.Sub(r.since) > bulkWindow {
		r.since, r.bytes, r.frames = now, 0, 0
	}
	r.latest = now
	r.bytes += len(b.Data)
	r.frames += b.Frames
	r.bulk = r.bulk || len(b.Data) >= bulkBlock || r.bytes >= bulkBytes || r.frames >= bulkFrames
	return r.bulk
}

// sweep forgets streams that have published nothing for a while.
func (k *bulk) sweep(now time.Time) {
	if k.streams == nil {
		k.streams, k.swept = map[string]*rate{}, now
	}
	if now.Sub(k.swept) < forgetAfter {
		return
	}
	k.swept = now
	for id, r := range k.streams {
		if now.Sub(r.latest) >= forgetAfter {
			delete(k.streams, id)
		}
	}
}
