package httpreplay

import (
	"cmp"
	"slices"
)

// span is the time range of the exchanges of a recorder, from the first frame to the last, ns.
type span struct {
	recorder string
	from, to int64
}

// numberRecordings numbers the recordings of a session. Each process that records makes one
// recording. Processes that recorded at the same time, such as proxies to several servers, belong
// to one recording.
func (b *index) numberRecordings() {
	of := map[string]*span{}
	for _, x := range b.exchanges {
		s := of[x.stream.Recorder]
		if s == nil {
			s = &span{from: x.first.At, to: x.ended, recorder: x.stream.Recorder}
			of[x.stream.Recorder] = s
		}
		s.from, s.to = min(s.from, x.first.At), max(s.to, x.ended)
	}
	spans := make([]*span, 0, len(of))
	for _, s := range of {
		spans = append(spans, s)
	}
	slices.SortFunc(spans, func(a, b *span) int { return cmp.Compare(a.from, b.from) })
	number := map[string]int{}
	n, end := -1, int64(0)
	for _, s := range spans {
		if n < 0 || s.from > end {
			n++
		}
		end = max(end, s.to)
		number[s.recorder] = n
	}
	for _, x := range b.exchanges {
		x.recording = number[x.stream.Recorder]
	}
}

// newest returns the exchanges of the newest recording that contains the request, as reported by
// same. If no recording contains it, newest returns the exchanges of the newest recording. If a
// stream was recorded without its requests, newest returns all exchanges.
func newest(here []*exchange, same func(*exchange) bool) []*exchange {
	last, lastSame := -1, -1
	for _, x := range here {
		if x.provider != nil {
			return here
		}
		last = max(last, x.recording)
		if x.recording > lastSame && same(x) {
			lastSame = x.recording
		}
	}
	if lastSame >= 0 {
		last = lastSame
	}
	return keep(here, func(x *exchange) bool { return x.recording == last })
}
