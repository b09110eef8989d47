package clickhouse

import (
	"slices"

	"tapedeck/replay"
	"tapedeck/schema"
)

// A session that went through a proxy has hundreds of short streams. Consecutive streams are read
// by one query, a bundle.
const (
	bundleRows    = 4096 // at most; the first bundles are smaller, since the client waits for them
	bundleStreams = 256
)

// bundler assigns streams to bundles, in the order of their first frames.
type bundler struct {
	reader *reader
	open   *cursor // the bundle that accepts more streams
	rows   int     // current maximum of frames in a bundle
	left   int     // how many more frames the open bundle may have
	bytes  int     // how many more bytes the open bundle may have
}

// add assigns a stream to a cursor: the cursor of a bundle, or a cursor for this stream only.
func (b *bundler) add(s *schema.StreamState) *cursor {
	if !b.short(s) {
		return newCursor(b.reader, s)
	}
	frames, bytes := b.frames(s), int(s.Bytes)
	if b.open != nil && frames <= b.left && bytes <= b.bytes && len(b.open.query.streams) < bundleStreams {
		b.open.query.streams = append(b.open.query.streams, s)
		b.left -= frames
		b.bytes -= bytes
		return nil
	}
	b.rows = min(max(4*b.rows, bundleRows/16), bundleRows)
	if b.reader.leading {
		b.rows = leadFrames
	}
	b.open, b.left, b.bytes = newCursor(b.reader, s), b.rows-frames, b.most()-bytes
	return b.open
}

// short reports whether a stream may be part of a bundle: the whole stream is requested, it no
// longer grows, and it is small.
func (b *bundler) short(s *schema.StreamState) bool {
	q := &b.reader.query
	whole := wholeAfter(s, q.From.Position) && (q.Unseen == nil || q.Unseen(s.StreamID) <= s.FirstSeq)
	return whole && s.Ended != 0 && b.frames(s) <= bundleRows/4 && s.Bytes <= uint64(b.most()/2)
}

// frames returns how many frames of a stream the query is taken to select. A client sends the head
// and the body of a request, which are few of the stream's frames, unless it uses a WebSocket.
func (b *bundler) frames(s *schema.StreamState) int {
	if b.requests() && s.Transport != schema.WebSocket {
		return 1 + int(s.Frames/bundleStreams)
	}
	return int(s.Frames)
}

// requests reports whether the query selects only what clients sent.
func (b *bundler) requests() bool {
	return slices.Equal(b.reader.query.Filter.Directions, []schema.Direction{schema.Send})
}

// most returns the maximum number of bytes of the streams in a bundle. They include the answers,
// which a query of requests does not read.
func (b *bundler) most() int {
	most := b.reader.tape.store.opts.PageBytes / (2 * lookahead)
	if b.requests() {
		most *= 4
	}
	return most
}

// cursors returns the cursors of all streams that have frames for the query.
func (r *reader) cursors(q replay.Query) []*cursor {
	var list []*cursor
	b := &bundler{reader: r}
	for i := range r.tape.streams {
		s := &r.tape.streams[i]
		if q.From.Before(schema.Position{At: s.LastAt, StreamID: s.StreamID, Seq: ^uint64(0)}) {
			continue
		}
		if !q.To.IsZero() && s.FirstAt > q.To.At {
			break
		}
		if c := b.add(s); c != nil && !c.empty() {
			list = append(list, c)
		}
	}
	return list
}
