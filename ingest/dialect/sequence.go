package dialect

import "tapedeck/schema"

// Step judges an event's number in a protocol whose events count up by one. before is the number
// of the previous event. highest is the highest number up to which no event is missing, and lost
// is the number of events missing between highest and n. A protocol with only one such number
// passes it as both.
func Step(n, before, highest uint64) (flags schema.Flags, lost uint64) {
	switch {
	case n == before:
		return schema.FlagEventRepeat, 0
	case n < before:
		return schema.FlagEventBack, 0
	case n > highest && n-highest > 1:
		return schema.FlagEventGap, n - highest - 1
	}
	return 0, 0
}

// Mark sets flags on a frame and counts the events that are missing before it.
func (b *Emitter) Mark(f *schema.Frame, flags schema.Flags, lost uint64) {
	f.Flags |= flags
	b.lost += lost
}
