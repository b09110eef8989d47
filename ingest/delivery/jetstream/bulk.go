package jetstream

import (
	"maps"
	"strconv"
	"strings"
	"time"

	"tapedeck/ingest"
	"tapedeck/schema"
)

// HeaderBulk marks messages with blocks of bulk recordings. The sink stores them apart from other
// messages, so that other messages do not wait behind them.
const HeaderBulk = "Tapedeck-Bulk"

const (
	// A stream is a bulk recording while it is ahead of bulkRate, bytes and frames per second, by
	// burst times that or more. It is not counted as being ahead by more than twice this, so that
	// it is none any more some seconds after it has become slow.
	bulkBytesRate  = 256 << 10
	bulkFramesRate = 500
	burst          = 4
	// The streams of a tenant that are no bulk recordings may be crowd times as fast together. Above
	// that a stream is a bulk recording from a crowd-th of burst on, so that a flood of short
	// streams is one too.
	crowd = 20

	// A stream that a recorder opened historyAge after the stream began is a history, such as a file of
	// "tapedeck sync", or catches up with one: it is a bulk recording for historyTime after it was opened.
	historyAge  = time.Hour
	historyTime = time.Minute
)

// BulkStreams determines which streams are bulk recordings. The zero value is ready for use. It is
// not safe for use by several goroutines.
type BulkStreams struct {
	streams map[string]*ahead // by the stream's part of the block ids
	tenants map[string]*ahead // without bulk recordings
	swept   time.Time
}

// ahead is by how much a stream or a tenant is ahead of the rates.
type ahead struct {
	at            time.Time
	bytes, frames float64
}

// Add adds a block that is published, and reports whether its stream is a bulk recording.
func (k *BulkStreams) Add(b *ingest.EncodedBlock, now time.Time) bool {
	if isHistory(b.ID, now) {
		return true
	}
	k.sweep(now)
	tenant, most := get(k.tenants, b.Tenant, now), 1.0
	if tenant.add(0, 0, now, crowd) >= 1 {
		most = 1.0 / crowd
	}
	stream := get(k.streams, b.ID[:min(len(b.ID), streamIDSize)], now)
	if stream.add(len(b.Data), b.Frames, now, 1) >= most {
		return true
	}
	tenant.add(len(b.Data), b.Frames, now, crowd)
	return false
}

// isHistory reports whether the id of a block is one of a history that was opened lately. The id has
// the time at which the stream began, in the stream's id, and the time at which it was opened: see
// ingest.EncodedBlock.
func isHistory(id string, now time.Time) bool {
	if len(id) <= streamIDSize {
		return false
	}
	began, err := schema.StreamStarted(id[:streamIDSize])
	if err != nil {
		return false
	}
	text, _, _ := strings.Cut(id[streamIDSize+1:], ".")
	opened, err := strconv.ParseInt(text, 36, 64)
	return err == nil && opened-began >= int64(historyAge) && now.UnixNano()-opened < int64(historyTime)
}

func get(all map[string]*ahead, name string, now time.Time) *ahead {
	a := all[name]
	if a == nil {
		a = &ahead{at: now}
		all[name] = a
	}
	return a
}

// add adds amounts. It returns by how much they are ahead of times the rates, as a multiple of burst.
func (a *ahead) add(bytes, frames int, now time.Time, times float64) float64 {
	seconds := now.Sub(a.at).Seconds()
	a.at = now
	return max(fill(&a.bytes, bytes, seconds, times*bulkBytesRate), fill(&a.frames, frames, seconds, times*bulkFramesRate))
}

// fill adds an amount to a level that has fallen at a rate for some seconds. It returns the level as
// a multiple of burst times the rate.
func fill(level *float64, amount int, seconds, rate float64) float64 {
	*level = min(max(0, *level-seconds*rate)+float64(amount), 2*burst*rate)
	return *level / (burst * rate)
}

// sweep forgets streams and tenants that are not ahead, since they have published nothing for a while.
func (k *BulkStreams) sweep(now time.Time) {
	const every = 2 * burst * time.Second
	if k.streams == nil {
		k.streams, k.tenants, k.swept = map[string]*ahead{}, map[string]*ahead{}, now
	}
	if now.Sub(k.swept) < every {
		return
	}
	k.swept = now
	for _, all := range []map[string]*ahead{k.streams, k.tenants} {
		maps.DeleteFunc(all, func(_ string, a *ahead) bool { return now.Sub(a.at) >= every })
	}
}
