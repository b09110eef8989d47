package sessionstreams

import (
	"time"

	"tapedeck/schema"
)

// Stream is one stream's share of a session.
type Stream struct {
	ID        string            `json:"stream_id"`
	Transport string            `json:"transport"`
	Dialect   string            `json:"dialect"`
	Evidence  string            `json:"evidence"` // why the dialect was chosen
	Source    string            `json:"source"`   // where the stream was recorded
	Tags      map[string]string `json:"tags"`
	Title     string            `json:"title"`
	FirstAt   time.Time         `json:"first_at"`
	LastAt    time.Time         `json:"last_at"`
	Frames    uint64            `json:"frames"`
	Bytes     uint64            `json:"bytes"`
	// Ended is null and EndReason is empty while the stream runs, or if its tap never recorded an
	// end.
	Ended     *time.Time `json:"ended"`
	EndReason string     `json:"end_reason"`
	// Digest is the SHA-256 of a file or an upload, in hexadecimal; "" for other streams, and for
	// files that were not recorded to their end.
	Digest string `json:"digest"`
	// IsLost marks a stream that has not ended and whose recorder is gone.
	IsLost   bool     `json:"lost"`
	Counters Counters `json:"counters"`
	// Redacted counts the secrets that were masked in its frames, by rule.
	Redacted map[string]uint64 `json:"redacted"`
	// Limits are what the stream stated last of the limits of its account; nil in lists of streams.
	Limits schema.Limits `json:"-"`
}

// Counters count frames with special properties.
type Counters struct {
	NotJSON     uint64 `json:"not_json"`
	InvalidUTF8 uint64 `json:"invalid_utf8"`
	Oversize    uint64 `json:"oversize"`
	Unknown     uint64 `json:"unknown"`
	Lost        uint64 `json:"lost"`
	Repeated    uint64 `json:"repeated"`
	Back        uint64 `json:"back"`
}

func (c *Counters) Add(o *Counters) {
	c.NotJSON += o.NotJSON
	c.InvalidUTF8 += o.InvalidUTF8
	c.Oversize += o.Oversize
	c.Unknown += o.Unknown
	c.Lost += o.Lost
	c.Repeated += o.Repeated
	c.Back += o.Back
}
