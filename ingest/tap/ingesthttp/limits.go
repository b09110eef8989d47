package ingesthttp

import (
	"tapedeck/ingest"
	"tapedeck/schema"
)

// sessionsEvery is the number of frames between two checks of the number of sessions.
const sessionsEvery = 64

// bounded returns a record function that enforces the limits. If a limit is exceeded, it returns an
// *ingest.LimitError; the frames recorded before are kept.
func (rec *recording) bounded(record func(*schema.Frame) error) func(*schema.Frame) error {
	l := rec.opts.Limits
	var frames, bytes uint64
	if rec.keyed != nil { // the limits include the durable frames of the key
		known := rec.keyed.claim.Known()
		frames, bytes = known.Frames, known.Bytes
	}
	return func(f *schema.Frame) error {
		frames++
		bytes += uint64(len(f.Raw))
		switch {
		case frames > l.Frames:
			return ingest.Exceeded("--max-body-frames", "the body has more than %d frames", l.Frames)
		case bytes > l.Bytes:
			return ingest.Exceeded("--max-body-bytes", "the decoded body has more than %d bytes", l.Bytes)
		case frames%sessionsEvery == 0 && rec.stream.SessionCount() > l.Sessions:
			return ingest.Exceeded("--max-body-sessions", "the body names more than %d sessions", l.Sessions)
		}
		return record(f)
	}
}
