package natstap

import (
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"

	"tapedeck/ingest"
	"tapedeck/ingest/redact"
)

// Options configure a recording. The zero value of a field means its default.
type Options struct {
	Servers string        // addresses of the NATS servers, separated by commas
	Connect []nats.Option // further options of the connection

	// Subject is the subject to record, with the wildcards * and >. With Stream it selects messages
	// of the stream; "" selects all of them.
	Subject string
	Queue   string // queue group of a subscription without JetStream; "" for none
	// Stream is the JetStream stream to read; "" for a subscription without JetStream.
	Stream string
	// Consumer is the durable consumer that reads the stream; it is created if it does not exist.
	// If it is "", the recorder stores its position itself.
	Consumer string
	New      bool // begin with the next message of the stream instead of its first

	SessionHeader string // header that names the session; "" for none
	SessionToken  int    // token of the subject that names the session, from 1; 0 for none

	Streams    int           // streams of the recording that are open at a time; default 1000
	Idle       time.Duration // a stream is ended after this time without a message; default 10 min
	FrameLimit int           // bytes; default ingest.DefaultFrameLimit
	// PendingMessages and PendingBytes bound what a subscription without JetStream holds in memory;
	// defaults 65,536 messages and 64 MiB. One message of the server's max_payload may wait in
	// addition.
	PendingMessages, PendingBytes int
	StateDir                      string         // directory of the positions in JetStream streams; "" stores none
	Headers                       *redact.ByName // masks headers by their names; nil for none
	Log                           *slog.Logger
}

// Result describes what was recorded.
type Result struct {
	Streams  int      `json:"streams"`
	Sessions []string `json:"sessions"` // the first ingest.SessionLimit sessions, in order of appearance
	Messages uint64   `json:"messages"`
	Frames   uint64   `json:"frames"`
	Bytes    uint64   `json:"bytes"`
	// Dropped counts messages that the server dropped because the subscription was too slow.
	// Removed counts messages that were removed from the JetStream stream before they were
	// recorded, as far as that is known.
	Dropped uint64 `json:"dropped"`
	Removed uint64 `json:"removed"`
	Lost    uint64 `json:"connections_lost"` // how often messages may have been missed
	Skipped uint64 `json:"skipped"`          // messages of subjects that are not recorded: tapedeck's own, inboxes
	Evicted uint64 `json:"evicted"`          // streams that were ended because more than Options.Streams were open
	Deleted uint64 `json:"deleted"`          // messages of sessions that were deleted
	First   string `json:"first_stream,omitempty"`
	Last    string `json:"last_stream,omitempty"`
	// LastSession is the last session of the stream Last; "" if the end of that stream was not
	// recorded.
	LastSession string `json:"last_session,omitempty"`
}

func (o Options) withDefaults() Options {
	setDefault(&o.Streams, 1000)
	setDefault(&o.Idle, 10*time.Minute)
	setDefault(&o.FrameLimit, ingest.DefaultFrameLimit)
	setDefault(&o.PendingMessages, 65_536)
	setDefault(&o.PendingBytes, 64<<20)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

func setDefault[T comparable](v *T, otherwise T) {
	var zero T
	if *v == zero {
		*v = otherwise
	}
}
