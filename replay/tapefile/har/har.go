// Package har writes HTTP exchanges of the recording proxy as an HTTP Archive 1.2, for example for
// the developer tools of browsers.
//
// An entry is an exchange: heads, bodies, times. A text body is written as text, any other body as
// Base64. The messages of a WebSocket are in Chrome's member _webSocketMessages. Streams that were
// not recorded by a proxy are not exchanges and are skipped.
package har

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"tapedeck/replay"
	"tapedeck/schema"
)

// Write writes the exchanges of a tape in the order in which they began, and returns
// their number. One exchange is in memory at a time.
func Write(ctx context.Context, w io.Writer, t replay.Tape, version string) (entries int, err error) {
	out := bufio.NewWriter(w)
	creator, err := json.Marshal(map[string]string{"name": "tapedeck", "version": version})
	if err != nil {
		return 0, err
	}
	fmt.Fprintf(out, `{"log":{"version":"1.2","creator":%s,"entries":[`, creator)
	for i := range t.Streams() {
		x, err := read(ctx, t, &t.Streams()[i])
		if err != nil {
			return entries, err
		}
		if x == nil {
			continue
		}
		text, err := json.Marshal(x.entry())
		if err != nil {
			return entries, fmt.Errorf("exchange of stream %s: %w", t.Streams()[i].StreamID, err)
		}
		if entries++; entries > 1 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
		out.Write(text)
	}
	out.WriteString("\n]}}\n")
	return entries, out.Flush()
}

// read reads the exchange of a stream; nil for a stream that is not an exchange.
func read(ctx context.Context, t replay.Tape, s *schema.StreamState) (*exchange, error) {
	q := replay.Query{
		From: replay.Place{Position: schema.Position{At: s.FirstAt}},
		To:   schema.Position{At: s.LastAt, StreamID: s.StreamID, Seq: ^uint64(0)},
	}
	r, err := t.Read(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("read stream %s: %w", s.StreamID, err)
	}
	defer r.Close()
	x := &exchange{stream: s}
	for {
		frames, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read stream %s: %w", s.StreamID, err)
		}
		for i := range frames {
			if f := &frames[i]; f.Stream.StreamID == s.StreamID && !x.add(&f.Frame) {
				return nil, nil
			}
		}
	}
	if x.request == nil {
		return nil, nil
	}
	return x, nil
}

// stamp formats a time for HAR.
func stamp(ns int64) string { return time.Unix(0, ns).UTC().Format(time.RFC3339Nano) }

// millis returns a duration in ms; never negative.
func millis(ns int64) float64 { return float64(max(ns, 0)) / 1e6 }
