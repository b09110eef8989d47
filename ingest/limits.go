package ingest

import (
	"cmp"
	"fmt"
	"strings"

	"tapedeck/internal/metric"
	"tapedeck/internal/wellformed"
)

// Limits bound the input of one client. The zero value of a field means its default, which is far
// above the input of agents.
type Limits struct {
	Bytes    uint64 // of a decoded body; default 256 GiB
	Frames   uint64 // of a body; default 1,000,000,000
	Sessions int    // named by the frames of a body; default 100,000
	Ratio    int    // of a body's decoded bytes to its encoded bytes, checked from RatioFrom on; default 200
	Tags     int    // of a stream; default 64
	TagBytes int    // of the name and the value of a tag; default 1024
	Frame    int    // bytes of a frame; a longer message is recorded in pieces; default DefaultFrameLimit
	// JSONDepth is the number of levels of JSON in a frame that are parsed: see
	// Settings.JSONDepth.
	JSONDepth int
}

// RatioFrom is the number of decoded bytes up to which a body may have any ratio.
const RatioFrom = 64 << 20

// WithDefaults returns the limits with defaults in place of zero values.
func (l Limits) WithDefaults() Limits {
	return Limits{
		JSONDepth: cmp.Or(l.JSONDepth, wellformed.MaxDepth), Bytes: cmp.Or(l.Bytes, 256<<30),
		Frames: cmp.Or(l.Frames, 1_000_000_000), Sessions: cmp.Or(l.Sessions, 100_000),
		Ratio: cmp.Or(l.Ratio, 200), Tags: cmp.Or(l.Tags, 64), TagBytes: cmp.Or(l.TagBytes,
			1024), Frame: cmp.Or(l.Frame, DefaultFrameLimit),
	}
}

// LimitError reports input beyond a limit.
type LimitError struct {
	What string // what exceeds the limit, and the limit
	Flag string // the setting of the server
}

// Error implements error: it names the limit and its flag.
func (e *LimitError) Error() string { return e.What + " (" + e.Flag + ")" }

// Exceeded returns the error for a limit that a flag of the server sets, and counts it. The
// metric's label is the flag's name without "max-".
func Exceeded(flag, format string, args ...any) *LimitError {
	_, limit, _ := strings.Cut(flag, "max-")
	limits.WithLabelValues(limit).Inc()
	return &LimitError{fmt.Sprintf(format, args...), flag}
}

// CheckTags reports tags beyond the limits. The error is a *LimitError.
func (l Limits) CheckTags(tags map[string]string) error {
	if len(tags) > l.Tags {
		return Exceeded("--max-tags", "%d tags are more than %d", len(tags), l.Tags)
	}
	for name, value := range tags {
		if n := len(name) + len(value); n > l.TagBytes {
			return Exceeded("--max-tag-bytes", "the tag %.40q has %d bytes, more than %d", name, n, l.TagBytes)
		}
	}
	return nil
}

var limits = metric.CounterVec(metric.Ingest, "tapedeck_ingest_limits_total",
	"Input beyond a limit, by the limit: bodies and connections that were refused or ended early, and frames "+
		"that were not decoded (json-depth; frame-bytes, for each piece), and limits of accounts beyond 16 names "+
		"for a session's share of a stream (usage-limits).", "limit")
