package process

import (
	"errors"
	"io"

	"tapedeck/ingest"
	"tapedeck/ingest/framing/ndjson"
	"tapedeck/ingest/tap/copier"
	"tapedeck/schema"
)

// copyBoth records the lines of both directions, each as it ends. A line that has not ended when the
// command does is recorded with a mark.
func (r *recording) copyBoth(s *ingest.Stream) error {
	framers := [2]ingest.Framer{ndjson.NewLines(r.limit), ndjson.NewLines(r.limit)}
	recordOf := func(way schema.Direction) func(*schema.Frame) error {
		return func(f *schema.Frame) error {
			f.Direction = way
			if way == schema.Receive {
				r.offsets.Add(len(f.Raw))
			} else {
				r.offsets.Add(0)
			}
			return s.Record(r.ctx, f)
		}
	}
	for {
		c, err := r.waiting.next()
		if err == nil {
			err = framers[c.way].Split(c.data, c.at, recordOf(c.way))
			if err != nil {
				return err
			}
			continue
		}
		for way, framer := range framers {
			if failed := framer.End(ingest.Now(), recordOf(schema.Direction(way))); failed != nil {
				return failed
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		return &copier.ReadError{Err: err}
	}
}
