package jetstream

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"

	"tapedeck/schema"
)

// HeaderContents of a message has the number of frames of its blocks, and a short name of each
// stream that they belong to, separated by spaces: 12 random digits of the stream's id. Readers
// count what waits by it, without decoding blocks. It is left out if a block's id names no stream.
// A publisher may state anything, so nothing but such counts depends on it.
const HeaderContents = "Tapedeck-Contents"

// contents is what HeaderContents states.
type contents struct {
	frames  uint64
	streams []string // short names, without repetitions
}

const (
	shortSize = 12
	// maxStreams bounds the streams that a message may state. It is above the number of blocks that
	// fit into a bundle.
	maxStreams = 1024
)

// shortName returns the short name of the stream in a block's id; "" if there is none.
func shortName(id string) string {
	if len(id) < streamIDSize {
		return ""
	}
	if _, err := schema.StreamStarted(id[:streamIDSize]); err != nil {
		return ""
	}
	return id[streamIDSize-shortSize : streamIDSize]
}

// add adds the frames of a block with an id. It returns false if the id names no stream.
func (c *contents) add(id string, frames int) bool {
	short := shortName(id)
	if short == "" {
		return false
	}
	c.frames += uint64(frames)
	if !slices.Contains(c.streams, short) {
		c.streams = append(c.streams, short)
	}
	return true
}

// String returns the value of the header.
func (c *contents) String() string {
	return strconv.FormatUint(c.frames, 10) + " " + strings.Join(c.streams, " ")
}

// parseContents is the inverse of String. It returns false for anything that String does not
// return.
func parseContents(header string) (c contents, ok bool) {
	number, names, _ := strings.Cut(header, " ")
	frames, err := strconv.ParseUint(number, 10, 64)
	if err != nil || frames > math.MaxInt32 || len(names) > maxStreams*(shortSize+1) {
		return contents{}, false
	}
	c = contents{frames, strings.Split(strings.Clone(names), " ")}
	for _, name := range c.streams {
		if len(name) != shortSize {
			return contents{}, false
		}
	}
	return c, true
}

// StreamsOf returns the short names of the streams that the header of a message states; none if it
// states no contents.
func StreamsOf(h nats.Header) []string {
	c, _ := parseContents(h.Get(HeaderContents))
	return c.streams
}
