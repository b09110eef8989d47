package block

import (
	"maps"
	"slices"

	"tapedeck/schema"
)

func writeState(w *writer, s *schema.StreamState) {
	w.string(s.StreamID)
	w.uint(s.FirstSeq)
	w.byte(byte(s.Transport))
	w.string(s.Dialect)
	w.string(s.Evidence)
	w.string(s.Source)
	w.string(s.Title)
	w.uint(uint64(len(s.Tags)))
	for _, k := range slices.Sorted(maps.Keys(s.Tags)) {
		w.string(k)
		w.string(s.Tags[k])
	}
	w.int(s.FirstAt)
	w.int(s.LastAt)
	w.uint(s.Frames)
	w.uint(s.Bytes)
	w.int(s.Ended)
	w.string(s.EndReason)
	for _, n := range counters(&s.Counters) {
		w.uint(*n)
	}
	w.uint(s.Version)
}

func readState(r reader) (schema.StreamState, error) {
	s := schema.StreamState{
		StreamID: r.string(), FirstSeq: r.uint(), Transport: schema.Transport(r.byte()),
		Dialect: r.string(), Evidence: r.string(), Source: r.string(), Title: r.string(),
	}
	if n := r.count(2); n > 0 {
		s.Tags = make(map[string]string, n)
		for range n {
			k := r.string()
			s.Tags[k] = r.string()
		}
	}
	s.FirstAt, s.LastAt, s.Frames, s.Bytes = r.int(), r.int(), r.uint(), r.uint()
	s.Ended, s.EndReason = r.int(), r.string()
	for _, n := range counters(&s.Counters) {
		*n = r.uint()
	}
	s.Version = r.uint()
	return s, r.err
}

// counters fixes the order in which the counters stand.
func counters(c *schema.Counters) [7]*uint64 {
	return [...]*uint64{&c.NotJSON, &c.InvalidUTF8, &c.Oversize, &c.Unknown, &c.Lost, &c.Repeated, &c.Back}
}
