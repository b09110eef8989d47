package ingest

import "tapedeck/schema"

// Summary describes a recorded stream.
type Summary struct {
	StreamID string `json:"stream_id"`
	// Sessions lists the sessions that the frames went to, in order of
	// appearance, the first SessionLimit of them; SessionCount is their number, and
	// LastSession the one that appeared last.
	Sessions     []string        `json:"sessions"`
	SessionCount int             `json:"session_count"`
	LastSession  string          `json:"last_session"`
	Frames       uint64          `json:"frames"`
	Bytes        uint64          `json:"bytes"`
	Dialect      string          `json:"dialect"`
	Evidence     string          `json:"evidence"`
	Counters     schema.Counters `json:"counters"`
	// Joined counts the received frames that arrived in the same read as the frame before.
	Joined uint64 `json:"joined"`
	// BadChecksum counts messages of event streams that fail their checksum. TooDeep counts
	// messages whose JSON is nested too deep to be parsed.
	BadChecksum uint64 `json:"bad_checksum"`
	TooDeep     uint64 `json:"too_deep"`
	Timed       bool   `json:"timed"` // with FrameClock: some frame states a time
	// Misdated counts, with FrameClock, the frames whose times run backwards in their session or
	// are out of range: they have the time of the frame before them. CopiedTimes counts the frames
	// that repeat an earlier frame together with its time.
	Misdated    uint64 `json:"misdated"`
	CopiedTimes uint64 `json:"copied_times"`
	// Redacted counts the secrets that were masked, by rule.
	Redacted map[string]uint64 `json:"redacted,omitempty"`
	// Digest is the SHA-256 of the bytes in hexadecimal, before secrets were masked. It is set if
	// StreamOptions.Digest was set and the stream was recorded to its end.
	Digest string `json:"digest,omitempty"`
}

// SessionLimit bounds the sessions that a Summary lists.
const SessionLimit = 1000
